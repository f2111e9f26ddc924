import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { customers, ORGANIZATION, scattered, tagNumber } from "./customers.js";
import { copyOf, ourFile } from "./our-file.js";
import { plainFile } from "./plain-file.js";
import { atLeast, inMs, print, whole } from "./report.js";
import { tagFilters } from "./tag-filters.js";
import { plansOf } from "./tag-query.js";
import { fastest, timeInTurn } from "./timing.js";

const SIZE = 20;
const TAG = "tenth";

/** A nested tag query after one of its tags was changed, and without a change, against the fastest SQL. */
export const changingTags: Bench = async ({ shared, folder, users, rounds, sliceMs }) => {
  const [nested] = tagFilters;
  assert(nested);
  const file = copyOf(await ourFile(shared, users), folder, "ours");
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { tags } = loyalty.organization(ORGANIZATION);
  const db = new Database(plainFile(shared, users), { readonly: true });
  const plans = plansOf(db, nested);
  const ours = () => tags.query({ filter: nested.filter, size: SIZE });
  const { totalElements: total, content } = await ours();
  for (const [name, plan] of Object.entries(plans)) assert.deepEqual(plan(), { total, users: content }, name);

  const tagged = [...customers(users)].filter((customer) => customer.tags.includes(tagNumber(TAG)));
  const ids = scattered(tagged.map(({ id }) => id));
  let isTaken: string | null = null;
  const change = async () => {
    if (isTaken === null) {
      isTaken = ids.next().value;
      await tags.unassign(isTaken, TAG);
    } else {
      await tags.assign(isTaken, TAG);
      isTaken = null;
    }
  };
  const changed = { ready: change, work: ours };
  const timeOf = await timeInTurn({ unchanged: ours, changed, ...plans }, { rounds, sliceMs });
  await loyalty.close();
  db.close();
  const peerName = fastest(Object.keys(plans), timeOf);
  const rows = (["changed", "unchanged"] as const).map((state) => {
    const ratio = timeOf(peerName) / timeOf(state);
    const goals = users < 200_000 ? [] : [atLeast(ratio, state === "changed" ? 22 : 36)];
    const what = state === "changed" ? "a tag changed before each" : "nothing changed";
    return { what, ours: inMs(timeOf(state)), peer: inMs(timeOf(peerName)), peerName, ratio, goals };
  });
  print(`Nested tag query of ${whole(users)} users (ratio: times faster)`, rows);
};
