// What somebody writes who has read nothing: only the members that are needed, no types named.
import createClient from "openapi-fetch";
import type { paths } from "./openapi.js";
const client = createClient<paths, "application/json">({ baseUrl: process.argv[2] ?? "" });
const params = { path: { set: "naive" } }, ball = { type: "circle", radius: 1 } as const;
await client.PUT("/v1/sets/{set}", { params, body: { dimension: 2, shapes: { a: ball, b: ball } } });
const pair = await client.POST("/v1/detect", { body: { a: ball, b: { ...ball, position: [1, 0] } } });
const all = await client.POST("/v1/sets/{set}/detect", { params, body: { a: "a" } });
const ray = await client.POST("/v1/sets/{set}/raycast", { params, body: { origin: [-9, 0], direction: [1, 0] } });
const hit = ray.data && "hits" in ray.data ? ray.data.hits[0] : undefined;
const first = all.data && "hits" in all.data ? all.data.hits[0] : undefined;
if (pair.data?.depth !== 1 || first?.id !== "b" || first.depth !== 2 || hit?.distance !== 8)
  throw new Error(JSON.stringify([pair, all, ray]));
await client.DELETE("/v1/sets/{set}", { params });
