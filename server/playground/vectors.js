// Vectors of two or three numbers, rotations, and poses.

/** @typedef {number[]} Vector */

/** @param {Vector} a @param {Vector} b */
export const add = (a, b) => a.map((value, i) => value + b[i]);
/** @param {Vector} a @param {Vector} b */
export const sub = (a, b) => a.map((value, i) => value - b[i]);
/** @param {Vector} a @param {number} factor */
export const scale = (a, factor) => a.map((value) => value * factor);
/** @param {Vector} a @param {Vector} b */
export const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
/** @param {Vector} a */
export const length = (a) => Math.hypot(...a);
/** @param {Vector} a @returns {Vector} of length 1, or a itself when it has no direction */
export const unit = (a) => (length(a) > 0 ? scale(a, 1 / length(a)) : a);
/** @param {Vector} a @param {Vector} b @returns {Vector} */
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
/** @param {number} dimension @returns {Vector} */
export const zero = (dimension) => Array(dimension).fill(0);

/** Turns v by the unit quaternion q. @param {Vector} q @param {Vector} v @returns {Vector} */
export function rotate([x, y, z, w], v) {
  const t = scale(cross([x, y, z], v), 2);
  return add(add(v, scale(t, w)), cross([x, y, z], t));
}

/** @param {Vector} p @param {Vector} q @returns {Vector} the turn by q, then by p */
export function multiply([a, b, c, d], [x, y, z, w]) {
  return [d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x, d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z];
}

/** @param {Vector} axis of length 1 @param {number} angle @returns {Vector} */
export const quaternion = (axis, angle) => [...scale(axis, Math.sin(angle / 2)), Math.cos(angle / 2)];

/** Turns v as the pose of the shape does. @param {any} pose @param {Vector} v @returns {Vector} */
export function turn(pose, v) {
  if (v.length === 3) return pose.orientation ? rotate(unit(pose.orientation), v) : v;
  if (!pose.angle) return v;
  const c = Math.cos(pose.angle), s = Math.sin(pose.angle);
  return [c * v[0] - s * v[1], s * v[0] + c * v[1]];
}

/** Turns v back. @param {any} pose @param {Vector} v @returns {Vector} */
export function unturn(pose, v) {
  if (v.length === 2) return turn({ angle: -(pose.angle || 0) }, v);
  if (!pose.orientation) return v;
  const [x, y, z, w] = unit(pose.orientation);
  return rotate([-x, -y, -z, w], v);
}

/** Takes a point of the shape's own frame to where it is. @param {any} pose @param {Vector} v @returns {Vector} */
export const place = (pose, v) => (pose.position ? add(turn(pose, v), pose.position) : turn(pose, v));

/** Pose of a part within a whole. @param {any} whole @param {any} part */
export function compose(whole, part) {
  const position = place(whole, part.position || zero(whole.position.length));
  if (position.length === 2) return { position, angle: (whole.angle || 0) + (part.angle || 0) };
  return { position, orientation: multiply(unit(whole.orientation || [0, 0, 0, 1]), unit(part.orientation || [0, 0, 0, 1])) };
}

/** The shape's pose alone. @param {any} shape @param {number} dimension */
export function poseOf(shape, dimension) {
  const position = shape.position || zero(dimension);
  return dimension === 2 ? { position, angle: shape.angle || 0 } : { position, orientation: shape.orientation || [0, 0, 0, 1] };
}

/** Corners of the convex hull of points of the plane, counterclockwise. @param {Vector[]} cloud @returns {Vector[]} */
export function hull2(cloud) {
  const sorted = [...cloud].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const left = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]) > 0;
  const half = (list) => {
    const kept = [];
    for (const p of list) {
      while (kept.length > 1 && !left(kept.at(-2), kept.at(-1), p)) kept.pop();
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

/** Triangles of the convex hull of a few points in space: each triple with all others on one side of it.
 * @param {Vector[]} cloud @returns {Vector[][]} */
export function hull3(cloud) {
  const faces = [], size = Math.max(...cloud.flat().map(Math.abs), 1e-300);
  for (let i = 0; i < cloud.length; i++) {
    for (let j = i + 1; j < cloud.length; j++) {
      for (let k = j + 1; k < cloud.length; k++) {
        const normal = cross(sub(cloud[j], cloud[i]), sub(cloud[k], cloud[i])), far = length(normal);
        if (far < 1e-12 * size * size) continue;
        const sides = cloud.map((p) => dot(normal, sub(p, cloud[i])) / far);
        const slack = 1e-9 * size;
        if (sides.every((s) => s <= slack)) faces.push([cloud[i], cloud[j], cloud[k]]);
        else if (sides.every((s) => s >= -slack)) faces.push([cloud[i], cloud[k], cloud[j]]);
      }
    }
  }
  return faces;
}
