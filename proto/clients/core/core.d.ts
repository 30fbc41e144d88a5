/** gjkd's core in WebAssembly. Queries and answers have the members of the HTTP API; numbers are equal to the bit. */

export type Vector = readonly number[];
export interface Place { position?: Vector; angle?: number; orientation?: Vector }
/** A shape as in the guide: type, members of its geometry, pose, and members that filters test. */
export interface Shape extends Place {
  type: string;
  rounding?: number | null;
  category?: number;
  mask?: number;
  group?: string | null;
  meta?: unknown;
  [member: string]: unknown;
}
/** An inline shape or, in a query of a set, the id of a stored shape, perhaps at another pose. */
export type Operand = Shape | string | Place & { id: string };
export interface Filter { category?: number; mask?: number; ignore?: string[]; ignore_groups?: string[]; only_groups?: string[] }
export interface Settings { filter?: Filter; options?: { tolerance?: number; max_iterations?: number }; limit?: number }
/** Of queries about inline shapes. The default of `dimension` is that of the shapes. */
export interface Alone extends Settings { dimension?: 2 | 3 }
/** Two shapes. A trace has the steps of GJK and EPA, even if a faster method found the answer. */
export interface Pair<O> { a: O; b: O; trace?: boolean }

export interface Detect { penetration?: boolean | "pieces"; contacts?: number }
export interface Raycast {
  origin: Vector; direction: Vector; max_distance?: number; mode?: "closest" | "any" | "all"; solid?: boolean; exits?: boolean;
}
export interface Cast { mode?: "closest" | "any" | "all"; at_start?: "report" | "ignore" | "resolve" | "leaving"; translation?: Vector; to?: Place }
export interface Move {
  shape: Operand; translation: Vector; up?: Vector; max_slope?: number; step?: number; snap?: number; skin?: number;
  depenetrate?: number; slides?: number;
}

type V = number[] | null;
/** A step of GJK or EPA: points of the Minkowski difference, and the bounds after it. */
export interface Step {
  phase: "gjk" | "epa"; direction: V; support: { a: number[]; b: number[]; w: number[] }; simplex: number[][]; closest: V;
  lower_bound: number | null; upper_bound: number | null; note: string;
}
export interface Trace { minkowski?: number[][]; steps: Step[] }
export interface Overlap {
  colliding: boolean; state: "separated" | "touching" | "overlapping"; status: "converged" | "iteration_limit"; iterations: number;
  depth: number; normal: V; point_a: V; point_b: V; depth_lower_bound: number; piece_a?: number | null; piece_b?: number | null;
  inside?: boolean; contacts?: Contact[]; trace?: Trace;
}
export interface Contact { piece_a?: number; piece_b?: number; depth: number; normal: number[]; point_a: number[]; point_b: number[] }
export interface Apart {
  colliding: boolean; state: "separated" | "touching" | "overlapping"; status: "converged" | "iteration_limit"; iterations: number;
  distance: number; lower_bound: number; signed_distance?: number; normal: V; point_a: V; point_b: V;
  piece_a?: number | null; piece_b?: number | null; inside?: boolean; trace?: Trace;
}
export interface Hit {
  id: string | null; group: string | null; distance: number; point: number[]; normal: V; inside: boolean; status: string;
  fraction?: number; exit?: number; depth?: number; piece?: number | null; moving_piece?: number; material?: number;
}
export interface Hits { hits: Hit[]; hit?: boolean; truncated?: boolean }
export interface Near { pairs: (Apart & { a: string; b: string })[]; truncated?: boolean; revision: number; against_revision?: number }
export type Line<T> = T & { id: string; group: string | null };
export interface Moved {
  position: number[]; moved: number[]; blocked: number[]; pushed: number[]; legs: number[][]; grounded: boolean;
  ground: Hit | null; contacts: (Hit & { step: boolean })[]; truncated?: boolean; status: string; revision: number;
}

/** A set. Its memory is freed when it is garbage-collected. */
export interface CoreSet {
  readonly dimension: 2 | 3;
  /** Changes all given shapes or none: null removes, a shape with a type replaces, a pose alone moves. */
  patch(shapes: Record<string, Shape | Place | null>): void;
  detect(query: Settings & Detect & Pair<Operand>): Overlap & { revision: number };
  detect(query: Settings & Detect & { a: Operand; relation?: "intersects" | "within" }): { hits: Line<Overlap>[]; truncated?: boolean; revision: number };
  detect(query?: Settings & Detect & { against?: CoreSet }): { pairs: (Overlap & { a: string; b: string })[]; truncated?: boolean; revision: number; against_revision?: number };
  distance(query: Settings & { signed?: boolean } & Pair<Operand>): Apart & { revision: number };
  distance(query: Settings & { a: Operand; signed?: boolean; max_distance?: number }): { nearest: Line<Apart>[]; truncated?: boolean; revision: number };
  distance(query: Settings & { signed?: boolean; max_distance: number }): Near;
  /** Nearest pairs with another set: one, or `limit`, or all within `max_distance`. */
  distance(query: Settings & { against: CoreSet; signed?: boolean; max_distance?: number }): Near;
  raycast(query: Settings & Raycast & { shape?: Operand; target?: string }): Hits & { revision: number };
  cast(query: Settings & Cast & { shape: Operand; target?: string }): Hits & { revision: number };
  move(query: Settings & Move): Moved;
}

export interface Core {
  detect(query: Alone & Detect & Pair<Shape>): Overlap;
  distance(query: Alone & { signed?: boolean } & Pair<Shape>): Apart;
  raycast(query: Alone & Raycast & ({ shape: Shape } | { shapes: Record<string, Shape> })): Hits;
  cast(query: Alone & Cast & { shape: Shape } & ({ against: Shape } | { shapes: Record<string, Shape> })): Hits;
  set(made: { dimension: 2 | 3; shapes?: Record<string, Shape> }): CoreSet;
}

/** A refusal with the daemon's `code`. A refused call has changed nothing. */
export class Refused extends Error { readonly code: string }

/** Loads the core. `source`: a URL, bytes or a module; by default core.wasm beside the script. */
export function load(source?: URL | BufferSource | WebAssembly.Module): Promise<Core>;
