// A plan that is live wherever it is open: drag a shape, and all see it move and what it overlaps.
// It shows the set of its address, /playground/plan.html#NAME, over one stream.
const path = "/v1/sets/" + (location.hash.slice(1) || "arena2d");
const plan = document.querySelector("g"), drawn = {}, pairs = new Map();
let socket, calls = 0, dragged;
const call = (method, path, body) => socket.send(JSON.stringify({ id: ++calls, method, path, body }));
const outlines = {
  box: ({ half_extents: [x, y] }) => ["rect", { x: -x, y: -y, width: 2 * x, height: 2 * y }],
  polygon: shape => ["polygon", { points: shape.vertices.join(" ") }],
  ellipse: ({ radii: [rx, ry] }) => ["ellipse", { rx, ry }],
  capsule: ({ a: [x1, y1], b: [x2, y2], radius }) => ["line", { x1, y1, x2, y2, "stroke-width": 2 * radius }],
};
function draw(id, shape) {
  drawn[id]?.remove();
  delete drawn[id];
  if (shape === null) return;
  const [kind, geometry] = outlines[shape.type]?.(shape) ?? ["circle", { r: shape.radius ?? 0.2 }];
  const place = `translate(${shape.position ?? [0, 0]}) rotate(${(shape.angle ?? 0) * 180 / Math.PI})`;
  drawn[id] = plan.appendChild(document.createElementNS(plan.namespaceURI, kind));
  for (const [key, value] of Object.entries({ ...geometry, id, transform: place })) drawn[id].setAttribute(key, value);
}
function take({ shapes = {}, all, begin = [], end = [] }) {
  for (const [id, shape] of Object.entries(shapes)) draw(id, shape);
  if (all) pairs.clear();
  for (const pair of begin) pairs.set(pair.join(" "), pair);
  for (const pair of end) pairs.delete(pair.join(" "));
  const hit = new Set([...pairs.values()].flat());
  for (const id in drawn) drawn[id].classList.toggle("hit", hit.has(id));
}
function open() { // whatever was missed meanwhile is in the document that is asked for
  socket = new WebSocket(`ws${location.protocol.slice(4)}//${location.host}/v1/stream`, "gjkd.v1");
  socket.onopen = () => { call("WATCH", path + "/events?kinds=change,overlap"); call("GET", path); };
  socket.onmessage = ({ data }) => {
    const { event, body } = JSON.parse(data);
    if (event?.kind === "reset") call("GET", path);
    if (typeof body?.shapes === "object") for (const id in drawn) if (!(id in body.shapes)) draw(id, null);
    if (event ?? typeof body?.shapes === "object") take(event ?? body);
  };
  socket.onclose = () => setTimeout(open, 1000);
}
plan.onpointerdown = ({ target }) => { dragged = target.id; };
window.onpointerup = () => { dragged = undefined; };
window.onpointermove = ({ clientX, clientY }) => {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(plan.getScreenCTM().inverse());
  if (dragged) call("PATCH", `${path}/shapes/${encodeURIComponent(dragged)}`, { position: [x, y] });
};
open();
