import { CallError } from "../api/call-error.js";

/**
 * Loads the code for the send and test dialogs on demand, because it isn't needed while a message is being edited.
 * @throws {CallError} if the server can't be reached.
 */
export async function loadSending() {
  try {
    const [{ SendDialog }, { TestDialog }] = await Promise.all([
      import("./send-dialog.js"),
      import("./test-dialog.js"),
    ]);
    return { SendDialog, TestDialog };
  } catch {
    throw new CallError(0, null);
  }
}
