import type { Step } from "../base/concurrency/step.js";
import { foldEmail } from "../base/values/email.js";
import type { Change } from "../kernel/tenant.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { emptySubscription, saveSubscription, withNewAddress } from "./subscription-state.js";

/**
 * Updates a user's subscription after a change to their email address. Lifts any suppression, and requires the new address to be
 * confirmed. Does nothing if the address hasn't changed. Call this on every change to a user.
 */
export function* applyAddressChange(change: Change, before: StoredUser, after: StoredUser): Step<void> {
  const { tx } = change;
  if (before.email === after.email) return;
  if (foldEmail(before.email ?? "") === foldEmail(after.email ?? "")) return;
  const existing = yield* tx.findSubscription(after.id);
  if (existing === null && !(yield* hasHadMail(tx, after.id))) return;
  const subscription = existing ?? emptySubscription(after.id);
  const changed = withNewAddress(subscription, after.updatedAt);
  yield* saveSubscription(change, subscription, changed);
}

/** Returns whether the customer has ever been sent an email, because an email to the old address may still bounce. */
function* hasHadMail(reader: StorageReader, userId: string): Step<boolean> {
  const query = { status: null, page: 0, size: 1 };
  return (yield* reader.messageDeliveriesOf({ userId }, query)).total > 0;
}
