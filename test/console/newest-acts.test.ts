import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadEntriesBefore } from "../../adapters/apps/console/browser/settings/trail/newest-acts.js";
import type { AuditQuery } from "../../src/access/audit-schema.js";

/** Creates an audit trail that has lost the entries before `first`, and counts its requests. */
function createTrail(first: number, newest: number) {
  let requestCount = 0;
  const readTrail = async ({ newest: isNewest = false, after = "0", limit = 100 }: AuditQuery) => {
    requestCount += 1;
    const start = isNewest ? Math.max(newest - limit, 0) : Number(after);
    const begin = Math.max(start + 1, first);
    const count = Math.max(Math.min(limit, 1_000, newest - begin + 1), 0);
    return Array.from({ length: count }, (_, at) => createEntry(begin + at));
  };
  return { readTrail, countRequests: () => requestCount };
}

function createEntry(sequence: number) {
  const actor = { kind: "library", id: null, subject: null, location: null, receipt: null } as const;
  const createdAt = "2026-01-01T00:00:00.000Z";
  return {
    object: "audit_entry" as const,
    ...{ sequence, action: "settings.updated", target: null, details: {}, actor, hash: "", createdAt },
  };
}

async function readWholeTrail(
  readPage: ReturnType<typeof createTrail>["readTrail"],
  size: number,
): Promise<number[]> {
  const all: number[] = [];
  for (let before: number | null = null; before !== 0; ) {
    const page = await loadEntriesBefore(readPage, size, before);
    all.push(...page.entries.map(({ sequence }) => sequence));
    before = page.before;
  }
  return all;
}

describe("the audit trail, newest first", () => {
  it("is read page by page with each entry once, wherever its oldest entry is", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3_000 }),
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: 1, max: 50 }).map((size) => size * 20),
        async (first, count, size) => {
          const { readTrail } = createTrail(first, first + count - 1);
          const newestFirst = Array.from({ length: count }, (_, at) => first + count - 1 - at);
          expect(await readWholeTrail(readTrail, size)).toEqual(newestFirst);
        },
      ),
    ));

  it("takes one request per page, regardless of its length", async () => {
    for (const [first, newest] of [
      [1, 900],
      [9_900_001, 10_000_000],
    ] as const) {
      const { readTrail, countRequests } = createTrail(first, newest);
      const { entries, before } = await loadEntriesBefore(readTrail, 20, null);
      expect(entries.map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: 20 }, (_, at) => newest - at),
      );
      await loadEntriesBefore(readTrail, 20, before);
      expect(countRequests()).toBe(2);
    }
  });

  it("is empty if nothing was recorded", async () => {
    expect(await loadEntriesBefore(createTrail(1, 0).readTrail, 20, null)).toEqual({
      entries: [],
      before: 0,
    });
  });
});
