// Stands in for @gjkd/core, which the daemon has in this place where it was built with a compiler for
// WebAssembly.

/** @type {null | (() => Promise<any>)} */
export const load = null;
