import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A path for a database that is not there yet. What is made at it goes when the test ends. */
export function temporaryFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "loyalty.db");
}
