/** Writes the pages that are made from definitions in the code: `npm run docs:pages`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorsPage } from "./errors.js";
import { operationsPage } from "./operations.js";
import { settingsPage } from "./settings.js";

/** The pages by their files in this folder. */
export const madePages = {
  "errors.md": errorsPage,
  "operations.md": operationsPage,
  "settings.md": settingsPage,
} as const;

if (process.argv[1] === import.meta.filename) {
  for (const [file, page] of Object.entries(madePages)) {
    const path = join(import.meta.dirname, file);
    const now = page();
    writeFileSync(path, now);
  }
}
