// Triangles in space drawn in software: a depth buffer, one light, and an outline around each shape.
// The same picture everywhere, with or without a graphics processor.
import { cross, length, scale, sub } from "./vectors.js";

/** `normals` of the corners, or `faces`: half of the normal of each triangle.
 * @typedef {{positions: Float32Array, normals: Float32Array | null, faces: Float32Array | null, indices: Uint32Array}} Mesh */

/** @param {import("./kinds.js").Surface} surface @returns {Mesh} */
export function meshOf({ points, normals, triangles }) {
  const positions = new Float32Array(3 * points.length), indices = new Uint32Array(3 * triangles.length);
  points.forEach((p, i) => positions.set(p, 3 * i));
  triangles.forEach((t, i) => indices.set(t, 3 * i));
  if (normals && normals.every(Boolean)) {
    const corners = new Float32Array(3 * points.length);
    normals.forEach((n, i) => corners.set(n, 3 * i));
    return { positions, normals: corners, faces: null, indices };
  }
  const faces = new Float32Array(3 * triangles.length);
  triangles.forEach(([p, q, r], i) => {
    const normal = cross(sub(points[q], points[p]), sub(points[r], points[p]));
    faces.set(scale(normal, 0.5 / (length(normal) || 1)), 3 * i);
  });
  return { positions, normals: null, faces, indices };
}

const NEARER = 1 + 2 ** -22; // the depths are of single precision: what is drawn again covers itself

export class Raster {
  constructor() {
    this.width = this.height = 0;
    this.canvas = document.createElement("canvas");
    this.vertices = new Float32Array(0); // of the mesh that is drawn, in the camera's frame, with their brightness
    this.places = new Float32Array(0); // in the picture, with 1 / distance, or 0 behind the near plane
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
    this.kept = [this.colour, this.depth, this.owner].map((buffer) => buffer.slice());
  }

  clear() {
    this.colour.fill(0);
    this.depth.fill(0);
    this.owner.fill(0);
  }

  /** Keeps what is drawn so far for back(). */
  keep() {
    [this.colour, this.depth, this.owner].forEach((buffer, i) => this.kept[i].set(buffer));
  }

  back() {
    [this.colour, this.depth, this.owner].forEach((buffer, i) => buffer.set(this.kept[i]));
  }

  /**
   * Draws a mesh. `matrix` takes its points to the camera's frame (x right, y up, z ahead), row by row;
   * `light` is in the mesh's frame. `side`: 1 front faces only, -1 back faces only, 0 both.
   * @param {Mesh} mesh @param {number[]} matrix @param {number[]} light @param {{focal: number, near: number}} lens
   * @param {number[]} colour red, green, blue up to 255 @param {number} owner @param {number} side
   */
  draw(mesh, matrix, light, lens, colour, owner, side = 0) {
    const { positions, normals, faces, indices } = mesh, count = positions.length / 3, { focal, near } = lens;
    if (this.vertices.length < 4 * count) [this.vertices, this.places] = [new Float32Array(4 * count), new Float32Array(3 * count)];
    const { vertices, places, width, height } = this, [a, b, c, d, e, f, g, h, i, j, k, l] = matrix;
    for (let n = 0; n < count; n++) {
      const x = positions[3 * n], y = positions[3 * n + 1], z = positions[3 * n + 2];
      const right = a * x + b * y + c * z + d, up = e * x + f * y + g * z + h, ahead = i * x + j * y + k * z + l, over = ahead > near ? 1 / ahead : 0;
      vertices[4 * n] = right;
      vertices[4 * n + 1] = up;
      vertices[4 * n + 2] = ahead;
      vertices[4 * n + 3] = normals ? 0.5 + 0.5 * (normals[3 * n] * light[0] + normals[3 * n + 1] * light[1] + normals[3 * n + 2] * light[2]) : 0;
      places[3 * n] = width / 2 + focal * right * over;
      places[3 * n + 1] = height / 2 - focal * up * over;
      places[3 * n + 2] = over;
    }
    this.ink = colour;
    this.number = owner;
    this.side = side;
    this.lens = lens;
    for (let n = 0; n < indices.length; n += 3) {
      const p = indices[n], q = indices[n + 1], r = indices[n + 2], pw = places[3 * p + 2], qw = places[3 * q + 2], rw = places[3 * r + 2];
      const bright = faces ? faces[n] * light[0] + faces[n + 1] * light[1] + faces[n + 2] * light[2] : -1;
      if (pw > 0 && qw > 0 && rw > 0) {
        this.fill(places[3 * p], places[3 * p + 1], pw, vertices[4 * p + 3], places[3 * q], places[3 * q + 1], qw, vertices[4 * q + 3],
          places[3 * r], places[3 * r + 1], rw, vertices[4 * r + 3], bright);
      } else if (pw > 0 || qw > 0 || rw > 0) this.clip(vertices, [4 * p, 4 * q, 4 * r], bright);
    }
  }

  /** Draws the part of a triangle that is ahead of the near plane. A `flat` brightness of -1 means that the corners have their own. */
  clip(v, corners, flat) {
    const { near, focal } = this.lens, ring = [];
    const put = (x, y, z, light) => ring.push([this.width / 2 + (focal * x) / z, this.height / 2 - (focal * y) / z, 1 / z, light]);
    corners.forEach((from, n) => {
      const to = corners[(n + 1) % 3], at = [v[from], v[from + 1], v[from + 2], v[from + 3]];
      if (at[2] > near) put(...at);
      if (at[2] > near !== v[to + 2] > near) {
        const part = (near - at[2]) / (v[to + 2] - at[2]);
        put(...at.map((value, m) => value + part * (v[to + m] - value)));
      }
    });
    for (let n = 2; n < ring.length; n++) this.fill(...ring[0], ...ring[n - 1], ...ring[n], flat);
  }

  /** Fills a triangle of the picture. Each corner has its place, 1 / distance and brightness. */
  fill(ax, ay, aw, ai, bx, by, bw, bi, cx, cy, cw, ci, flat) {
    const { width, height, depth, colour, owner, number, ink } = this;
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (area === 0 || area * this.side > 0) return;
    if (flat !== -1) ai = bi = ci = 0.5 + (area < 0 ? flat : -flat); // an open surface is lit from both sides
    const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5)), bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
    const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5)), right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
    if (top > bottom || left > right) return;
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
