import { CallError } from "../api/call-error.js";

/**
 * Loads the code for a sent message's report on demand, because drafts don't need it.
 * @throws {CallError} if the server can't be reached.
 */
export async function loadReport() {
  try {
    const { Report } = await import("./report.js");
    return { Report };
  } catch {
    throw new CallError(0, null);
  }
}
