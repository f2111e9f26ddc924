import { slugOfRemoved, type TagSetReport, type TagSets } from "../../../src/storage/tags.js";
import { OrdinalSet } from "./store/ordinal-set.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { findByKey } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function readTagSets(rows: OrganizationRows, slugs: readonly string[]): TagSets {
  const sets = slugs.flatMap((slug) => {
    const holders = findByKey(rows.tagOrdinalsBySlug, rows.holders, slug);
    return holders === null ? [] : [[slug, holders.toBitmap()] as const];
  });
  return { users: rows.everybody.toBitmap(), tags: new Map(sets) };
}

export function verifyTagSets(rows: OrganizationRows): TagSetReport {
  const { everybody, holders } = buildTagSets(rows);
  const wrongSlugs: (string | null)[] = rows.everybody.equals(everybody) ? [] : [null];
  for (const { ordinal, slug } of rows.tags.values()) {
    const [actual, expected] = [rows.holders.get(ordinal), holders.get(ordinal)];
    if (actual === undefined || expected === undefined || !actual.equals(expected)) wrongSlugs.push(slug);
  }
  // A removed tag's set may also contain users of tags that were merged into it earlier.
  for (const removal of rows.tagRemovals.values()) {
    const [actual, expected] = [rows.holders.get(removal.ordinal), holders.get(removal.ordinal)];
    if (actual === undefined || expected === undefined || !actual.hasAll(expected))
      wrongSlugs.push(slugOfRemoved(removal));
  }
  return { checked: rows.tags.size + 1, wrong: wrongSlugs };
}

export function rebuildTagSets(rows: OrganizationRows, log: UndoLog): void {
  const { everybody, holders } = rows;
  log.change(
    () => Object.assign(rows, buildTagSets(rows)),
    () => Object.assign(rows, { everybody, holders }),
  );
}

export function include(log: UndoLog, set: OrdinalSet, ordinal: number): void {
  log.change(
    () => set.add(ordinal),
    () => set.delete(ordinal),
  );
}

export function exclude(log: UndoLog, set: OrdinalSet, ordinal: number): void {
  log.change(
    () => set.delete(ordinal),
    () => set.add(ordinal),
  );
}

function buildTagSets(rows: OrganizationRows): Pick<OrganizationRows, "everybody" | "holders"> {
  const tags = [...rows.tags.keys(), ...rows.tagRemovals.keys()];
  const holders = new Map(tags.map((tag) => [tag, new OrdinalSet()]));
  for (const [ordinal, assignments] of rows.assignments) {
    for (const { tagOrdinal } of assignments) {
      holders.get(tagOrdinal)?.add(ordinal);
      // A user with a removed tag counts as a user of the tag's merge target.
      const target = rows.tagRemovals.get(tagOrdinal)?.targetOrdinal ?? null;
      if (target !== null) holders.get(target)?.add(ordinal);
    }
  }
  return { everybody: OrdinalSet.of(rows.users.keys()), holders };
}
