import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "../../adapters/console/browser");

/** An email of a customer that a screen reads in another way than to ask how it is shown. */
const asStored = /(?<!shownEmail\()(?<!error\.fields)\b(?:customer|contact|user|owner)\??\.email\b/g;

it("screens show an email only as shownEmail gives it: who joined without one has none", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const found = files.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(asStored)].map(([text]) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
