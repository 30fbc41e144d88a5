// Triangles in space drawn in software: a depth buffer, one light, and an outline around each shape.
// The same picture everywhere, with or without a graphics processor.

/** @typedef {{positions: Float32Array, normals: Float32Array | null, indices: Uint32Array}} Mesh */

/** @param {import("./kinds.js").Surface} surface @returns {Mesh} */
export function meshOf({ points, normals, triangles }) {
  const positions = new Float32Array(3 * points.length), indices = new Uint32Array(3 * triangles.length);
  points.forEach((p, i) => positions.set(p, 3 * i));
  triangles.forEach((t, i) => indices.set(t, 3 * i));
  let flat = null;
  if (normals && normals.every(Boolean)) {
    flat = new Float32Array(3 * points.length);
    normals.forEach((n, i) => flat.set(n, 3 * i));
  }
  return { positions, normals: flat, indices };
}

const NEARER = 1 + 2 ** -22; // the depths are of single precision: what is drawn again covers itself

export class Raster {
  constructor() {
    this.width = this.height = 0;
    this.canvas = document.createElement("canvas");
    this.vertices = new Float32Array(0);
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = this.canvas.width = width;
    this.height = this.canvas.height = height;
    this.image = new ImageData(width, height);
    this.colour = new Uint32Array(this.image.data.buffer);
    this.depth = new Float32Array(width * height); // 1 / distance: 0 is infinitely far
    this.owner = new Uint32Array(width * height); // number of the shape seen there, 0 for none
    this.kept = null;
  }

  clear() {
    this.colour.fill(0);
    this.depth.fill(0);
    this.owner.fill(0);
  }

  /** Keeps what is drawn so far for back(). */
  keep() {
    this.kept = [this.colour.slice(), this.depth.slice(), this.owner.slice()];
  }

  back() {
    this.colour.set(this.kept[0]);
    this.depth.set(this.kept[1]);
    this.owner.set(this.kept[2]);
  }

  /**
   * Draws a mesh. `matrix` takes its points to the camera's frame (x right, y up, z ahead), row by row;
   * `light` is in the mesh's frame. `side`: 1 front faces only, -1 back faces only, 0 both.
   * @param {Mesh} mesh @param {number[]} matrix @param {number[]} light @param {{focal: number, near: number}} lens
   * @param {number[]} colour red, green, blue up to 255 @param {number} owner @param {number} side
   */
  draw(mesh, matrix, light, lens, colour, owner, side = 0) {
    const { positions, normals, indices } = mesh, count = positions.length / 3;
    if (this.vertices.length < 4 * count) this.vertices = new Float32Array(4 * count);
    const vertices = this.vertices, [a, b, c, d, e, f, g, h, i, j, k, l] = matrix;
    for (let n = 0; n < count; n++) {
      const x = positions[3 * n], y = positions[3 * n + 1], z = positions[3 * n + 2];
      vertices[4 * n] = a * x + b * y + c * z + d;
      vertices[4 * n + 1] = e * x + f * y + g * z + h;
      vertices[4 * n + 2] = i * x + j * y + k * z + l;
      vertices[4 * n + 3] = normals ? 0.5 + 0.5 * (normals[3 * n] * light[0] + normals[3 * n + 1] * light[1] + normals[3 * n + 2] * light[2]) : 0;
    }
    this.ink = colour;
    this.number = owner;
    this.side = side;
    this.lens = lens;
    for (let n = 0; n < indices.length; n += 3) {
      const p = indices[n], q = indices[n + 1], r = indices[n + 2];
      let bright = -1;
      if (!normals) {
        const ux = positions[3 * q] - positions[3 * p], uy = positions[3 * q + 1] - positions[3 * p + 1], uz = positions[3 * q + 2] - positions[3 * p + 2];
        const vx = positions[3 * r] - positions[3 * p], vy = positions[3 * r + 1] - positions[3 * p + 1], vz = positions[3 * r + 2] - positions[3 * p + 2];
        const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx, far = Math.hypot(nx, ny, nz) || 1;
        bright = (0.5 * (nx * light[0] + ny * light[1] + nz * light[2])) / far;
      }
      this.clip(vertices, 4 * p, 4 * q, 4 * r, bright);
    }
  }

  /** Cuts a triangle at the near plane. A `flat` brightness of -1 means that the corners have their own. */
  clip(v, p, q, r, flat) {
    const near = this.lens.near, ahead = (v[p + 2] > near ? 1 : 0) + (v[q + 2] > near ? 1 : 0) + (v[r + 2] > near ? 1 : 0);
    if (ahead === 3) {
      this.fill(v[p], v[p + 1], v[p + 2], v[p + 3], v[q], v[q + 1], v[q + 2], v[q + 3], v[r], v[r + 1], v[r + 2], v[r + 3], flat);
    } else if (ahead > 0) {
      const ring = [], corners = [p, q, r];
      corners.forEach((from, n) => {
        const to = corners[(n + 1) % 3];
        if (v[from + 2] > near) ring.push([0, 1, 2, 3].map((m) => v[from + m]));
        if (v[from + 2] > near !== v[to + 2] > near) {
          const part = (near - v[from + 2]) / (v[to + 2] - v[from + 2]);
          ring.push([0, 1, 2, 3].map((m) => v[from + m] + part * (v[to + m] - v[from + m])));
        }
      });
      for (let n = 2; n < ring.length; n++) this.fill(...ring[0], ...ring[n - 1], ...ring[n], flat);
    }
  }

  fill(ax, ay, az, ai, bx, by, bz, bi, cx, cy, cz, ci, flat) {
    const { width, height, depth, colour, owner, number, ink } = this, focal = this.lens.focal;
    const aw = 1 / az, bw = 1 / bz, cw = 1 / cz;
    ax = width / 2 + focal * ax * aw; ay = height / 2 - focal * ay * aw;
    bx = width / 2 + focal * bx * bw; by = height / 2 - focal * by * bw;
    cx = width / 2 + focal * cx * cw; cy = height / 2 - focal * cy * cw;
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (area === 0 || area * this.side > 0) return;
    if (flat !== -1) ai = bi = ci = 0.5 + (area < 0 ? flat : -flat); // an open surface is lit from both sides
    const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5)), bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
    const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5)), right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
    const over = 1 / area, ux = (by - cy) * over, vx = (cy - ay) * over, uy = (cx - bx) * over, vy = (ax - cx) * over;
    const wx = ux * aw + vx * bw - (ux + vx) * cw, ix = ux * ai + vx * bi - (ux + vx) * ci;
    for (let y = top; y <= bottom; y++) {
      let from = left, to = right;
      const u0 = ux * (0.5 - cx) + uy * (y + 0.5 - cy), v0 = vx * (0.5 - cx) + vy * (y + 0.5 - cy), t0 = 1 - u0 - v0, tx = -ux - vx;
      if (ux > 0) from = Math.max(from, Math.ceil(-u0 / ux)); else if (ux < 0) to = Math.min(to, Math.floor(-u0 / ux)); else if (u0 < 0) continue;
      if (vx > 0) from = Math.max(from, Math.ceil(-v0 / vx)); else if (vx < 0) to = Math.min(to, Math.floor(-v0 / vx)); else if (v0 < 0) continue;
      if (tx > 0) from = Math.max(from, Math.ceil(-t0 / tx)); else if (tx < 0) to = Math.min(to, Math.floor(-t0 / tx)); else if (t0 < 0) continue;
      let at = y * width + from, w = u0 * aw + v0 * bw + t0 * cw + wx * from, light = u0 * ai + v0 * bi + t0 * ci + ix * from;
      for (let x = from; x <= to; x++, at++, w += wx, light += ix) {
        if (w * NEARER < depth[at]) continue;
        const shade = 0.42 + 0.62 * (light < 0 ? 0 : light > 1 ? 1 : light);
        const red = ink[0] * shade, green = ink[1] * shade, blue = ink[2] * shade;
        depth[at] = w;
        owner[at] = number;
        colour[at] = 0xff000000 | ((blue > 255 ? 255 : blue) << 16) | ((green > 255 ? 255 : green) << 8) | (red > 255 ? 255 : red);
      }
    }
  }

  /** Darkens the nearer side of each border between shapes and shows the picture. `strong`: the shape whose border has that colour.
   * @param {number} strong @param {number[]} accent */
  finish(strong = 0, accent = [0, 0, 0]) {
    const { width, height, depth, owner, colour } = this, bright = 0xff000000 | (accent[2] << 16) | (accent[1] << 8) | accent[0];
    for (let y = 1; y < height - 1; y++) {
      for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
        const mine = owner[at];
        if (!mine) continue;
        const near = depth[at];
        if ((owner[at - 1] !== mine && depth[at - 1] <= near) || (owner[at + 1] !== mine && depth[at + 1] <= near) ||
            (owner[at - width] !== mine && depth[at - width] <= near) || (owner[at + width] !== mine && depth[at + width] <= near)) {
          if (mine === strong) {
            colour[at] = colour[at - 1] = colour[at + 1] = colour[at - width] = colour[at + width] = bright;
          } else {
            const old = colour[at];
            colour[at] = 0xff000000 | (((old >> 16) & 255) * 0.55) << 16 | (((old >> 8) & 255) * 0.55) << 8 | ((old & 255) * 0.55);
          }
        }
      }
    }
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
  }
}
