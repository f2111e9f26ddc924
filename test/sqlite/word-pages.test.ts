import { LoyaltyService } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { open, otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

/** Maximum size of a page of words, in bytes. FTS5 merges a fixed number of pages in a step. */
const SMALL = 1_100;
const USERS = 600;

/**
 * Imports users whose words fill pages.
 * @returns the size of the largest page of words that was written, in bytes.
 */
async function measureLongestWrite(file: string, domain: string): Promise<number> {
  const storage = await open(file);
  const database = otherProgram(file);
  const pages = database.prepare<[], { id: number; length: number }>(
    "select id, length(block) as length from loyalty_user_words_data",
  );
  const before = new Set(pages.all().map(({ id }) => id));
  await new LoyaltyService({ storage })
    .organization("acme")
    .users.import(
      Array.from({ length: USERS }, (_, at) => ({ email: `somebody.${at}@${domain}`, name: `${at * at}` })),
    );
  const newPages = pages.all().filter(({ id }) => !before.has(id));
  await storage.close();
  return Math.max(...newPages.map(({ length }) => length));
}

describe("the words of a file's search index", () => {
  it("are written in small pages, so that each merge step is short", async () => {
    const longest = await measureLongestWrite(createTemporaryFile(), "example.org");
    expect(longest).toBeGreaterThan(SMALL / 2);
    expect(longest).toBeLessThan(SMALL);
  });
});
