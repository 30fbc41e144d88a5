import type { Schemas } from "./types.js";

/** A refusal (RFC 9457). A refused write has changed nothing, but for one of status 504, whose outcome is open. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: Schemas["ProblemCode"] | "";
  /** The place of the first mistake in the body, "" if none is told. */
  readonly pointer: string;
  readonly hint: string;
  readonly errors: Schemas["ProblemPlace"][];

  /** `etag` is that of what is there now, where a 412 tells it. */
  constructor(readonly status: number, told: Partial<Schemas["Problem"]>, readonly etag: string | null = null) {
    const pointer = told.errors?.[0]?.pointer ?? "";
    super(`${status} ${told.code ?? ""}${pointer && ` at ${pointer}`}: ${told.detail ?? "no problem is told"}${told.hint ? ` (${told.hint})` : ""}`);
    this.code = told.code ?? "";
    this.pointer = pointer;
    this.hint = told.hint ?? "";
    this.errors = told.errors ?? [];
  }
}

/** There was no answer: the daemon is not there, or the connection was lost on the way. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}
