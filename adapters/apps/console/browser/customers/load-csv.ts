import { CallError } from "../api/call-error.js";

/**
 * Loads the CSV code on demand, because it is larger than any screen's code.
 * @throws {CallError} if the server can't be reached.
 */
export function loadCsv(): Promise<typeof import("./csv.js")> {
  return import("./csv.js").catch(() => {
    throw new CallError(0, null);
  });
}
