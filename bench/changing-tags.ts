import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { cycleScattered, generateCustomers, ORGANIZATION, tagNumber } from "./customers.js";
import { copyFile, createOurFile } from "./our-file.js";
import { createPlainFile } from "./plain-file.js";
import { atLeast, formatMs, formatWhole, print } from "./report.js";
import { tagFilters } from "./tag-filters.js";
import { createPlans } from "./tag-query.js";
import { findFastest, timeInTurn } from "./timing.js";

const SIZE = 20;
const TAG = "tenth";

/** A nested tag query after one of its tags was changed, and without a change, against the fastest SQL. */
export const runChangingTags: Bench = async ({ sharedFolder, folder, users, rounds, sliceMs }) => {
  const [nestedFilter] = tagFilters;
  assert(nestedFilter);
  const file = copyFile(await createOurFile(sharedFolder, users), folder, "ours");
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { tags } = loyalty.organization(ORGANIZATION);
  const db = new Database(createPlainFile(sharedFolder, users), { readonly: true });
  const plans = createPlans(db, nestedFilter);
  const queryOurs = () => tags.query({ filter: nestedFilter.filter, size: SIZE });
  const { totalElements: total, content } = await queryOurs();
  for (const [name, plan] of Object.entries(plans)) assert.deepEqual(plan(), { total, users: content }, name);

  const taggedUsers = [...generateCustomers(users)].filter((customer) =>
    customer.tags.includes(tagNumber(TAG)),
  );
  const ids = cycleScattered(taggedUsers.map(({ id }) => id));
  let isTaken: string | null = null;
  const changeTag = async () => {
    if (isTaken === null) {
      isTaken = ids.next().value;
      await tags.unassign(isTaken, TAG);
    } else {
      await tags.assign(isTaken, TAG);
      isTaken = null;
    }
  };
  const changedTask = { ready: changeTag, work: queryOurs };
  const getTime = await timeInTurn(
    { unchanged: queryOurs, changed: changedTask, ...plans },
    { rounds, sliceMs },
  );
  await loyalty.close();
  db.close();
  const peerName = findFastest(Object.keys(plans), getTime);
  const rows = (["changed", "unchanged"] as const).map((state) => {
    const ratio = getTime(peerName) / getTime(state);
    const goals = users < 200_000 ? [] : [atLeast(ratio, state === "changed" ? 22 : 36)];
    const label = state === "changed" ? "a tag changed before each" : "nothing changed";
    return {
      label,
      ours: formatMs(getTime(state)),
      peer: formatMs(getTime(peerName)),
      peerName,
      ratio,
      goals,
    };
  });
  print(`Nested tag query of ${formatWhole(users)} users (ratio: times faster)`, rows);
};
