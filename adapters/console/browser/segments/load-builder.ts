import { CallError } from "../api/call-error.js";

/** Loads what filters are built with, which most messages go without. @throws {CallError} when the server can't be reached. */
export function loadBuilder(): Promise<typeof import("./filter-builder.js")> {
  return import("./filter-builder.js").catch(() => {
    throw new CallError(0, null);
  });
}
