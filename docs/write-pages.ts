/** Writes the pages that are made from definitions in the code: `npm run docs:pages`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderErrorsPage } from "./errors.js";
import { renderOperationsPage } from "./operations.js";
import { renderSettingsPage } from "./settings.js";

/** The pages by their files in this folder. */
export const madePages = {
  "errors.md": renderErrorsPage,
  "operations.md": renderOperationsPage,
  "settings.md": renderSettingsPage,
} as const;

if (process.argv[1] === import.meta.filename) {
  for (const [file, page] of Object.entries(madePages)) {
    const path = join(import.meta.dirname, file);
    const now = page();
    writeFileSync(path, now);
  }
}
