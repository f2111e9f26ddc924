import { nextUpdatedAt } from "../base/values/clock.js";

/** The fields of a row that an update changes. Missing and `undefined` fields keep their values. */
export type Patch<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/**
 * Applies a patch to a row and advances its `updatedAt`. If the patch changes no value, returns `before` itself, so `updatedAt`
 * stays the same and no event is recorded.
 */
export function applyPatch<Row extends { readonly updatedAt: number }>(
  before: Row,
  patch: Patch<Row>,
  now: number,
): Row {
  const changedEntries = Object.entries(patch).filter(
    ([name, value]) => value !== undefined && value !== Reflect.get(before, name),
  );
  if (changedEntries.length === 0) return before;
  return {
    ...before,
    ...Object.fromEntries(changedEntries),
    updatedAt: nextUpdatedAt(before.updatedAt, now),
  };
}
