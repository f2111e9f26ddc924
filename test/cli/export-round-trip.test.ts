import { join } from "node:path";
import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { trimmed } from "../../adapters/apps/csv/cells.js";
import { filledTexts } from "../properties/arbitraries.js";
import { runs } from "../properties/runs.js";
import { createEmptyFolder } from "./command.js";
import { openCustomers } from "./customers.js";

/** Texts that look like formulas, like escaped formulas, or like CSV syntax. An import trims whitespace around them. */
const cells = fc
  .tuple(fc.stringMatching(/^['"=+\-@\t\r\n,; \uFF1D]{0,3}$/), filledTexts(15))
  .map(([start, end]) => trimmed(start + end))
  .filter((text) => text !== "");

const users = fc.uniqueArray(
  fc.record({
    email: fc.stringMatching(/^[a-z=+'-][a-z]{0,5}@example\.com$/),
    name: fc.option(cells),
    phone: fc.option(cells),
    metadata: fc.dictionary(fc.oneof(cells, fc.constantFrom("__proto__", "", "a.b", "A", "a")), cells, {
      maxKeys: 3,
    }),
    tags: fc.subarray(["a", "b-2", "3"]),
  }),
  { selector: ({ email }) => email, minLength: 1, maxLength: 25, size: "large" },
);

describe("a CSV export", () => {
  it("can be imported again as the same users, whatever texts it contains", async () => {
    const folder = createEmptyFolder();
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(join(folder, "loyalty.db")) });
    let organizations = 0;
    await fc.assert(
      fc.asyncProperty(users, async (rows) => {
        organizations += 1;
        const [source, target] = [`from-${organizations}`, `to-${organizations}`];
        const { failed } = await loyalty.organization(source).users.import(rows, { createTags: true });
        expect(failed).toEqual([]);
        const [original, copy] = [openCustomers(source, folder), openCustomers(target, folder)];
        expect(await copy.import(await original.export(), "--create-tags")).toMatchObject({ code: 0 });
        expect(await copy.listAll()).toEqual(await original.listAll());
      }),
      runs(10),
    );
    await loyalty.close();
  });
});
