import { compareTexts } from "../../../src/base/values/text.js";
import type { StoredSubscription } from "../../../src/storage/subscriptions.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function subscriptionsOf(
  { subscriptions }: OrganizationRows,
  userIds: readonly string[],
): StoredSubscription[] {
  return [...new Set(userIds)].sort(compareTexts).flatMap((userId) => subscriptions.get(userId) ?? []);
}

export function putSubscription(
  rows: OrganizationRows,
  log: UndoLog,
  subscription: StoredSubscription,
): void {
  requireRow(rows.ordinalsById, subscription.userId);
  log.set(rows.subscriptions, subscription.userId, freezeRow(subscription));
}
