import { LoyaltyService } from "loyalty-kit";
import { migrateSqlite } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { SCHEMA_VERSION } from "../../adapters/kysely/migrations/migrations.js";
import { open, otherProgram } from "./opened.js";
import { temporaryFile } from "./temporary-file.js";

/** Pages of words are at most so long, in bytes: FTS5 merges a fixed number of them in a step. */
const SMALL = 1_100;
const USERS = 600;

/** Imports users whose words fill pages. @returns the length of the longest page of words that this has written, in bytes. */
async function longestWritten(file: string, domain: string): Promise<number> {
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
  const written = pages.all().filter(({ id }) => !before.has(id));
  await storage.close();
  return Math.max(...written.map(({ length }) => length));
}

async function foundWith(file: string, search: string): Promise<number> {
  const loyalty = new LoyaltyService({ storage: await open(file) });
  return (await loyalty.organization("acme").contacts.list({ search })).totalElements;
}

describe("the words of a file's search index", () => {
  it("are written in small pages, so that a step of their merging is short", async () => {
    const longest = await longestWritten(temporaryFile(), "example.org");
    expect(longest).toBeGreaterThan(SMALL / 2);
    expect(longest).toBeLessThan(SMALL);
  });

  it("are found in the long pages of a former release, and written in small ones from the migration on", async () => {
    const file = temporaryFile();
    await (await open(file)).close();
    const former = otherProgram(file);
    former.exec("insert into loyalty_user_words (loyalty_user_words, rank) values ('pgsz', 4050)");
    expect(await longestWritten(file, "example.org")).toBeGreaterThan(2 * SMALL);
    former.exec("delete from loyalty_migrations where version >= 45");

    expect(await migrateSqlite(file)).toEqual({ from: 44, to: SCHEMA_VERSION });

    expect(await longestWritten(file, "example.net")).toBeLessThan(SMALL);
    expect(await foundWith(file, "@example.org")).toBe(USERS);
    expect(await foundWith(file, "@example.net")).toBe(USERS);
  });
});
