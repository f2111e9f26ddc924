import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { CHUNK_BYTES } from "../../src/storage/bitmap.js";
import { createPlace } from "./place.js";

const USERS = 20;

const vips = { operator: "AND", conditions: [{ slug: "vip" }] } as const;

/** Opens two processes' services on one database. Each caches the sets that it has read. */
async function openTwoPrograms(organizationId: string) {
  const place = await createPlace();
  const pool = new pg.Pool({ connectionString: place.url });
  const organizations = await Promise.all(
    [1, 2].map(async () => {
      const loyalty = new LoyaltyService({ storage: await postgresStorage(pool) });
      onTestFinished(() => loyalty.close());
      return loyalty.organization(organizationId);
    }),
  );
  onTestFinished(async () => {
    await pool.end();
    await place.remove();
  });
  const [writer, reader] = organizations;
  if (writer === undefined || reader === undefined) throw new Error("there are two");
  return { pool, writer, reader };
}

it.each([
  { ids: "short ids", length: 4 },
  { ids: "ids of 36 characters", length: 36 },
  { ids: "ids of 100 characters", length: 100 },
])("a set of an organization with $ids is correct after each of many small changes", async ({ length }) => {
  const { pool, writer, reader } = await openTwoPrograms("o".repeat(length));
  await writer.tags.create({ name: "VIP" });
  const people = Array.from({ length: USERS }, (_, at) => ({
    externalId: `c-${at}`,
    email: `c-${at}@example.com`,
  }));
  await writer.users.import(people);
  const members = new Set<string>();
  const lengths = new Set<number>();
  for (let change = 0; change < 3 * USERS; change += 1) {
    const id = `c-${(change * 7) % USERS}`;
    if (members.delete(id)) await writer.tags.unassign(id, "vip");
    else {
      await writer.tags.assign(id, "vip");
      members.add(id);
    }
    for (const each of [writer, reader]) {
      const found = await each.tags.query({ filter: vips, size: USERS });
      expect(new Set(found.content.map(({ externalId }) => externalId))).toEqual(members);
    }
    const { rows } = await pool.query("select length(bits) as length from loyalty_segment_chunks");
    for (const row of rows) lengths.add(row.length);
  }
  expect(await writer.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });
  await writer.tags.rebuildIndex();
  expect(await reader.tags.verifyIndex()).toEqual({ checked: 2, wrong: [] });
  // The longer the key of a row is, the fewer deltas fit in. Sets with the longest keys are always written in
  // full.
  expect(Math.min(...lengths)).toBe(CHUNK_BYTES);
  expect(lengths.size > 1).toBe(length < 60);
  const { rows } = await pool.query(
    "select pg_relation_size(reltoastrelid)::int as beside from pg_class where oid = 'loyalty_segment_chunks'::regclass",
  );
  if (length < 60) expect(rows).toEqual([{ beside: 0 }]);
});
