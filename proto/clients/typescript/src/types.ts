/** Types of bodies, answers and columns, from those that are generated. */
import type { components, operations } from "./openapi.js";
import type { MESSAGES } from "./tables.js";

export type Schemas = components["schemas"];
/** The entity tag of an answer, for `ifMatch` and `ifNoneMatch`; null: none. */
export interface Tagged { readonly etag: string | null }

export interface Options {
  /** Refuse the call unless the set (or the shape, in a call on a shape) has this entity tag. */
  ifMatch?: string;
  /** `*`: only create. In a read: answer null if the entity tag is still this. */
  ifNoneMatch?: string;
  /** In a cluster: wait until the node has this revision. */
  minRevision?: number;
  /** In a cluster: the answer is not older than the call. */
  linearizable?: boolean;
  /** Deadline in milliseconds, also sent to the daemon. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Parameters of the URL, by their names in openapi.json. */
  query?: Record<string, string | number | boolean>;
}

type Content<T> = T extends { content: { "application/json": infer J } } ? J : T extends { content: { "text/plain": infer J } } ? J
  : T extends { content: { "application/x-ndjson": unknown } } ? string : null;
type Rows = Schemas[Extract<keyof Schemas, `${string}Rows`>];
export type Body<K extends keyof operations> =
  operations[K] extends { requestBody: { content: { "application/json": infer J } } } ? J | (K extends "postTick" ? Body<"putTick"> : never) : never;
type Answer<K extends keyof operations> = K extends "getSet" ? Schemas["StoredSet"] : K extends "getShape" ? Schemas["Shape"]
  : operations[K] extends { responses: { 200: infer R } } ? Exclude<Content<R>, Rows> : null;
type Given = {} | string;
/** Type of the answer, as far as the type of the query determines it. */
type Form<K extends keyof operations, B> =
  K extends "putShape" ? B extends { columns: unknown } ? Schemas["StoredBody"] : Schemas["Shape"]
  : K extends "detectInSet" ? B extends { a: Given; b: Given } ? Schemas["DetectPair"] : B extends { a: Given } ? Schemas["DetectHits"] : Answer<K>
  : K extends "distanceInSet" ? B extends { a: Given; b: Given } ? Schemas["DistancePair"] : B extends { a: Given } ? Schemas["DistanceNearest"] : Answer<K>
  : K extends "raycastInSet" | "raycast" ? B extends { mode: "any" } ? Schemas["AnyHit"] : B extends { mode: string } ? Answer<K> : Schemas["RayHits"]
  : K extends "castInSet" | "cast" ? B extends { mode: "any" } ? Schemas["AnyHit"] : B extends { mode: string } ? Answer<K> : Schemas["CastHits"]
  : K extends "postTick" ? B extends { queries: {} } | { overlaps: {} } ? Answer<K> : Answer<"putTick">
  : Answer<K>;
export type Told<K extends keyof operations, B = unknown> =
  Form<K, B> extends infer F ? F extends object ? F & Tagged : F : never;

type Fields = typeof MESSAGES;
type Field = readonly [number, string, boolean];
type Written<F extends Field> = F[1] extends "double" | "float" | "uint32" | "uint64"
  ? F[2] extends true ? Float64Array | Float32Array | Uint32Array | readonly number[] : number
  : One<F, "in"> extends infer V ? F[2] extends true ? readonly V[] : V : never;
type Had<F extends Field> = F[2] extends true
  ? F[1] extends "double" ? Float64Array : F[1] extends "float" ? Float32Array : F[1] extends "uint32" ? Uint32Array : One<F, "out">[]
  : F[1] extends keyof Fields ? One<F, "out"> | undefined : One<F, "out">;
type One<F extends Field, W> = F[1] extends "bool" ? boolean : F[1] extends "string" ? string : F[1] extends "bytes" ? Uint8Array
  : F[1] extends keyof Fields ? W extends "in" ? Columns<F[1]> : Read<F[1]> : number;
/** A message to send; absent columns have their defaults. */
export type Columns<M extends keyof Fields = any> = { -readonly [K in keyof Fields[M]]?: Fields[M][K] extends Field ? Written<Fields[M][K]> : never };
/** A decoded message; columns that were not sent are empty. */
export type Read<M extends keyof Fields> = { -readonly [K in keyof Fields[M]]: Fields[M][K] extends Field ? Had<Fields[M][K]> : never };
