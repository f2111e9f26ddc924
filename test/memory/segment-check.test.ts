import { describe, expect, it } from "vitest";
import { rebuildTagSets, verifyTagSets } from "../../adapters/storage/memory/segments.js";
import { OrdinalSet } from "../../adapters/storage/memory/store/ordinal-set.js";
import { OrganizationRows } from "../../adapters/storage/memory/store/organization-rows.js";
import { UndoLog } from "../../adapters/storage/memory/store/undo-log.js";
import { assignTag, insertTag } from "../../adapters/storage/memory/tags.js";
import { insertUser } from "../../adapters/storage/memory/users.js";
import {
  buildUserFolds,
  someAssignment,
  someTag,
  someUser,
} from "../../adapters/testing/storage-suite/kit/records.js";

/** Creates two users with the tag `vip`, and a tag that no user has. */
function createRows() {
  const [rows, log] = [new OrganizationRows(), new UndoLog()];
  const insertTagRow = (slug: string) => insertTag(rows, log, someTag({ slug }));
  const [vip, unused] = [insertTagRow("vip"), insertTagRow("unused")];
  for (const user of [someUser({ ordinal: 0 }), someUser({ ordinal: 1 })]) {
    insertUser(rows, log, user, buildUserFolds(user));
    assignTag(rows, log, someAssignment(user, vip));
  }
  return { rows, vip, unused };
}

type Rows = ReturnType<typeof createRows>;

const damages: Readonly<Record<string, { damage: (rows: Rows) => void; wrong: (string | null)[] }>> = {
  "a user missing from the set of all users": {
    damage: ({ rows }) => rows.everybody.delete(1),
    wrong: [null],
  },
  "an extra user in the set of all users": {
    damage: ({ rows }) => rows.everybody.add(40_000),
    wrong: [null],
  },
  "a user missing from a tag's set": {
    damage: ({ rows, vip }) => rows.holders.get(vip.ordinal)?.delete(0),
    wrong: ["vip"],
  },
  "an extra user in a tag's set": {
    damage: ({ rows, unused }) => rows.holders.get(unused.ordinal)?.add(0),
    wrong: ["unused"],
  },
  "a missing tag set": { damage: ({ rows, vip }) => rows.holders.delete(vip.ordinal), wrong: ["vip"] },
  "several at once": {
    damage: ({ rows, vip, unused }) => {
      rows.everybody = new OrdinalSet();
      for (const { ordinal } of [vip, unused]) rows.holders.set(ordinal, OrdinalSet.of([1, 2]));
    },
    wrong: [null, "vip", "unused"],
  },
};

describe("the check of tag sets", () => {
  it.each(Object.entries(damages))("finds %s, which a rebuild repairs", (_name, { damage, wrong }) => {
    const all = createRows();
    damage(all);
    expect(verifyTagSets(all.rows)).toEqual({ checked: 3, wrong });
    rebuildTagSets(all.rows, new UndoLog());
    expect(verifyTagSets(all.rows)).toEqual({ checked: 3, wrong: [] });
  });

  it("finds the damage again after the rebuild is rolled back", () => {
    const [all, log] = [createRows(), new UndoLog()];
    all.rows.everybody.delete(1);
    rebuildTagSets(all.rows, log);
    log.rollBack();
    expect(verifyTagSets(all.rows).wrong).toEqual([null]);
  });
});
