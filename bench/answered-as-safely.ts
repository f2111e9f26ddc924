import { setImmediate } from "node:timers/promises";
import { FileGuard } from "../adapters/storage/sqlite/library/file-guard.js";
import type { Work } from "./timing.js";

/** Confirms commits by hand as safely as the library does: checked in the log, with a yield to the event loop. */
export class CommitGuard {
  readonly #guard: FileGuard;

  /** @param file whose log is there. */
  constructor(file: string) {
    this.#guard = new FileGuard(file);
  }

  async after(commit: Work): Promise<void> {
    await commit();
    this.#guard.assertLogged();
    await setImmediate();
  }

  close(): void {
    this.#guard.close();
  }
}
