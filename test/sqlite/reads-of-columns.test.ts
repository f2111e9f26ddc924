import Database from "better-sqlite3";
import { LoyaltyService, type SegmentCondition } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { someEmail } from "../kit/acme.js";
import { createTemporaryFile } from "./temporary-file.js";

/** Counts the statements that read rows during the work. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const database = new Database(":memory:");
  const prototype = Object.getPrototypeOf(database.prepare("select 1"));
  database.close();
  const { all } = prototype;
  let statements = 0;
  prototype.all = function (...parameters: unknown[]) {
    statements += 1;
    return Reflect.apply(all, this, parameters);
  };
  try {
    await work();
    return statements;
  } finally {
    prototype.all = all;
  }
}

/** Reading all these users takes two statements: each reads at most a thousand rows. */
const USERS = 1_500;

const createLongText = (nth: number) => `${nth} `.repeat(60);

describe("a filter of hundreds of conditions on SQLite", () => {
  async function openForQueries() {
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(createTemporaryFile()) });
    onTestFinished(() => loyalty.close());
    const acme = loyalty.organization("acme");
    const createMetadata = (nth: number) => ({ key: createLongText(nth), [`key ${nth % 500}`]: nth });
    await acme.users.import(
      Array.from({ length: USERS }, (_, nth) => ({ email: someEmail(), metadata: createMetadata(nth) })),
    );
    return async (condition: (nth: number) => SegmentCondition) => {
      const conditions = Array.from({ length: 500 }, (_, nth) => condition(nth));
      let found = 0;
      const runQuery = async () => {
        const page = await acme.segments.query({ filter: { operator: "OR", conditions }, size: 0 });
        found = page.totalElements;
      };
      return { statements: await countStatements(runQuery), found: () => found };
    };
  }

  it("reads the rows of users for all of its paths together", async () => {
    const ask = await openForQueries();
    const { statements, found } = await ask((nth) => ({ metadata: { path: [`key ${nth}`], min: 0 } }));
    expect(found()).toBe(USERS);
    expect(statements).toBeLessThan(20);
  });

  it("reads them together for all texts that are too long to distinguish", async () => {
    const ask = await openForQueries();
    const { statements, found } = await ask((nth) => ({
      metadata: { path: ["key"], equals: createLongText(nth) },
    }));
    expect(found()).toBe(500);
    expect(statements).toBeLessThan(20);
  });

  it("finds the first users of all times together", async () => {
    const ask = await openForQueries();
    const { statements } = await ask((nth) => ({ joined: { withinDays: nth } }));
    expect(statements).toBeLessThan(60);
  });
});
