import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addCleanup } from "../kit/cleanup.js";

/** Returns a path for a new database. Everything at this path is removed after the file's tests. */
export function createTemporaryFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
  addCleanup(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "loyalty.db");
}
