import { CallError } from "../api/call-error.js";

/** Loads what shows a message that was sent, which drafts go without. @throws {CallError} if the server can't be reached. */
export async function loadReport() {
  try {
    const { Report } = await import("./report.js");
    return { Report };
  } catch {
    throw new CallError(0, null);
  }
}
