import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addCleanup } from "../kit/afterwards.js";

/** A path for a database that is not there yet. What is made at it goes when the tests of the file are done. */
export function createTemporaryFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
  addCleanup(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "loyalty.db");
}
