import { CallError } from "../api/call-error.js";

/**
 * Loads the report on a sent message, which drafts don't need.
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
