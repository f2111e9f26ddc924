import { CallError } from "../api/call-error.js";

/**
 * Loads the code for CSV files, which is larger than any screen.
 * @throws {CallError} if the server can't be reached.
 */
export function loadCsv(): Promise<typeof import("./csv.js")> {
  return import("./csv.js").catch(() => {
    throw new CallError(0, null);
  });
}
