import fc from "fast-check";
import { LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHUNK_SIZE } from "../../src/storage/bitmap.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { numberFrom } from "../kit/numbered-from.js";
import { arbitraryTagFilters } from "./arbitraries.js";
import { matchesFilter } from "./oracle.js";
import { inOneTransaction } from "./organizations.js";
import { runs } from "./runs.js";

const slugs = ["a", "b", "c"];

describe.each(everyAdapter)("an organization with more than one chunk on $name", ({ name, open }) => {
  /** Number of users before the border: a full chunk, or fewer where creating users is slow. */
  const border = name === "postgres" ? 1_000 : CHUNK_SIZE;
  const members = border + 20;
  /** The last page of 100 users before the border. */
  const lastPage = Math.floor(border / 100);
  let storage: StorageAdapter;
  let acme: Organization;
  /** The tags of each remaining user, oldest user first. */
  const tagsOf = new Map<string, Set<string>>();

  beforeAll(async () => {
    storage = await open();
    await inOneTransaction(numberFrom(storage, CHUNK_SIZE - border), async (loyalty) => {
      const { users, tags } = loyalty.organization("acme");
      for (const name of slugs) await tags.create({ name });
      for (let at = 0; at < members; at += 1) {
        const { id } = await users.create({ email: `${at}@example.com`, externalId: `${at}` });
        tagsOf.set(id, new Set());
      }
    });
    acme = new LoyaltyService({ storage }).organization("acme");
    const ids = [...tagsOf.keys()];
    const tagged = [0, 1, 31, 32, 500, ...Array.from({ length: 40 }, (_, at) => border - 20 + at)];
    for (const [turn, at] of tagged.entries()) {
      const id = ids[at] ?? "";
      for (const slug of slugs.filter((_, bit) => (turn >> bit) % 2 === 0)) {
        await acme.tags.assign(id, slug);
        tagsOf.get(id)?.add(slug);
      }
    }
    for (const at of [1, border - 1, border + 2, members - 1]) {
      await acme.users.delete(`${at}`);
      tagsOf.delete(ids[at] ?? "");
    }
  });
  afterAll(() => storage.close());

  it("is filtered like the naive rule, on pages around the border", async () => {
    const pages = fc.oneof(fc.nat({ max: 4 }), fc.integer({ min: lastPage - 8, max: lastPage + 3 }));
    const sizes = fc.oneof(fc.constant(100), fc.integer({ min: 1, max: 100 }));
    await fc.assert(
      fc.asyncProperty(
        arbitraryTagFilters([...slugs, "unknown"]),
        pages,
        sizes,
        async (filter, page, size) => {
          const found = [...tagsOf].filter(([, tags]) => matchesFilter(tags, filter)).map(([id]) => id);
          const answer = await acme.tags.query({ filter, page, size });
          expect(answer.totalElements).toBe(found.length);
          expect(answer.content.map(({ id }) => id)).toEqual(found.slice(page * size, (page + 1) * size));
        },
      ),
      runs(60),
    );
  });

  it("is listed completely, with the users of each tag", async () => {
    const everybody = (await collect(acme.users.list())).map(({ id }) => id);
    expect(everybody).toEqual([...tagsOf.keys()]);
    for (const slug of slugs) {
      const holders = (await collect(acme.tags.users(slug))).map(({ id }) => id);
      expect(holders).toEqual(everybody.filter((id) => tagsOf.get(id)?.has(slug)));
    }
    expect(await acme.tags.verifyIndex()).toEqual({ checked: slugs.length + 1, wrong: [] });
  });

  it("stays the same when its tag index is rebuilt", async () => {
    const filter = { operator: "NOT", conditions: [{ slug: "a" }, { slug: "b" }] } as const;
    const before = await acme.tags.query({ filter, page: lastPage, size: 100 });
    await acme.tags.rebuildIndex();
    expect(await acme.tags.query({ filter, page: lastPage, size: 100 })).toEqual(before);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: slugs.length + 1, wrong: [] });
  });
});
