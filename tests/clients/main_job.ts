// The main job, as a client would write it with nothing but what is generated: store a set, move a
// shape, ask what collides, how far, what a ray hits; then the same rays in one message. The first
// client is made from openapi.json, the second from gjkd.proto. The compiler checks every member.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.js";
import { gjkd } from "./gjkd.js";

const url = process.argv[2];
assert(url, "the daemon's address is missing");
const client = createClient<paths>({ baseUrl: url });

type NewSet = components["schemas"]["Set"];
const arena: NewSet = {
  dimension: 2,
  history: { ticks: 8 },
  shapes: {
    "hero": { type: "capsule", a: [0, -0.5], b: [0, 0.5], radius: 0.5, group: "hero" },
    "crate": { type: "box", half_extents: [1, 1], position: [4, 0], angle: Math.PI / 4 },
    "rock": { type: "polygon", vertices: [[-1, -1], [1, -1], [0, 1]], rounding: 0.25, position: [0, 6] },
  },
};
const path = { set: "typed-client" };

// The JSON of an answer; its other form, a message, is a string to this client.
async function answered<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<Exclude<T, string>> {
  const { data, error, response } = await call;
  assert(data !== undefined && typeof data !== "string", `${response.status}: ${JSON.stringify(error)}`);
  return data as Exclude<T, string>;
}

// --- JSON ---

const created = await client.PUT("/v1/sets/{set}", { params: { path }, body: arena });
assert.equal(created.response.status, 201);
const etag = created.response.headers.get("ETag");
assert(created.data && etag);
assert.deepEqual([created.data.shapes, created.data.dimension, created.data.tick], [3, 2, null]);

const distance = await answered(client.POST("/v1/sets/{set}/distance", {
  params: { path }, body: { a: "hero", b: "crate" },
}));
assert("distance" in distance && typeof distance.distance === "number");
assert(Math.abs(distance.distance - (4 - Math.SQRT2 - 0.5)) < 1e-12);

const whatIf = await answered(client.POST("/v1/sets/{set}/detect", {
  params: { path }, body: { a: { id: "hero", position: [2.5, 0] } },
}));
assert("hits" in whatIf && whatIf.hits.length === 1 && whatIf.hits[0]?.id === "crate");

const moved = await client.PUT("/v1/sets/{set}/ticks/{tick}", {
  params: { path: { ...path, tick: 10 } }, body: { shapes: { hero: { position: [0, 2] } } },
});
assert.equal(moved.response.status, 201);
const patched = await client.PATCH("/v1/sets/{set}", {
  params: { path, header: { "If-Match": moved.response.headers.get("ETag") ?? "" } },
  body: { shapes: { crate: null } },
});
assert.equal(patched.data?.shapes, 2);

const stale = await client.DELETE("/v1/sets/{set}", { params: { path, header: { "If-Match": etag } } });
assert(stale.error && "code" in stale.error);
assert.equal(stale.error.code, "revision-mismatch");

const wrong = await client.POST("/v1/sets/{set}/raycast", {
  params: { path }, body: { origin: [0, 0], direction: [0, 0] },
});
assert.equal(wrong.error?.code, "zero-direction");
assert.equal(wrong.error?.errors?.[0]?.pointer, "/direction");

const ray = { origin: [0, -5], direction: [0, 1] };
const hits = await answered(client.POST("/v1/sets/{set}/raycast", { params: { path }, body: ray }));
assert("hits" in hits && Array.isArray(hits.hits));
const first = hits.hits[0];
assert(first && first.id === "hero" && first.distance === 6);

const whole = await answered(client.GET("/v1/sets/{set}", { params: { path } }));
assert("shapes" in whole && typeof whole.shapes === "object");
const handle = whole.shapes["hero"]?.handle;
assert(handle !== undefined);

// --- Columns ---

const { RaycastColumns, RaycastAnswers, PoseColumns } = gjkd.v1;

async function send(method: string, at: string, message: Uint8Array): Promise<Response> {
  return fetch(`${url}/v1/sets/${path.set}/${at}`, {
    method, headers: { "Content-Type": "application/x-protobuf" }, body: new Uint8Array(message),
  });
}

const rays = RaycastColumns.encode({
  dimension: 2, origin: [...ray.origin, 50, 50], direction: [...ray.direction, 1, 0],
}).finish();
const reply = await send("POST", "raycast", rays);
assert.equal(reply.status, 200);
const answers = RaycastAnswers.decode(new Uint8Array(await reply.arrayBuffer()));
assert.deepEqual(answers.handle, [handle, 4294967295]);
assert.deepEqual(answers.distance, [first.distance, 0]);
assert.deepEqual(answers.point.slice(0, 2), first.point);

const poses = PoseColumns.encode({ dimension: 2, handle: [handle], position: [7, 7], rotation: [0.5] }).finish();
assert.equal((await send("PUT", "ticks/11", poses)).status, 201);
const then = await answered(client.GET("/v1/sets/{set}/ticks/{tick}", {
  params: { path: { ...path, tick: 10.5 } },
}));
assert.deepEqual(then.shapes["hero"]?.position, [3.5, 4.5]);

const refused = await send("POST", "raycast", RaycastColumns.encode({ dimension: 2, origin: [1] }).finish());
const problem = (await refused.json()) as components["schemas"]["Problem"];
assert.equal(problem.code, "wrong-type");

const gone = await client.DELETE("/v1/sets/{set}", { params: { path } });
assert.equal(gone.response.status, 204);
console.log("the typed clients did the main job");
