import type { Schemas } from "./types.js";

/** A refusal (RFC 9457). A refused write has changed nothing, unless the status is 504. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: Schemas["ProblemCode"] | "";
  /** JSON pointer to the first mistake in the body; "": none. */
  readonly pointer: string;
  readonly hint: string;
  readonly errors: Schemas["ProblemPlace"][];

  /** `etag`: with status 412, the current entity tag. */
  constructor(readonly status: number, told: Partial<Schemas["Problem"]>, readonly etag: string | null = null) {
    const pointer = told.errors?.[0]?.pointer ?? "";
    super(`${status} ${told.code ?? ""}${pointer && ` at ${pointer}`}: ${told.detail ?? "no problem is told"}${told.hint ? ` (${told.hint})` : ""}`);
    this.code = told.code ?? "";
    this.pointer = pointer;
    this.hint = told.hint ?? "";
    this.errors = told.errors ?? [];
  }
}

/** No answer came: connecting failed, or the connection was lost. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}
