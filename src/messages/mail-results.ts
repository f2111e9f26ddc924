import type { Step } from "../base/concurrency/step.js";
import { foldEmail } from "../base/values/email.js";
import type { RecordEvent } from "../kernel/events/recording.js";
import { type MailLane, mailJobs, type StoredMessageDelivery } from "../storage/mail.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { DeliveryTally } from "./delivery-tally.js";
import { afterAttempt, type MailOutcome } from "./mail-outcome.js";
import { MAIL_REVISION } from "./mail-queue.js";
import { readSubscription, suppressAddress } from "./subscription-state.js";

export interface ResultClaim {
  readonly organizationId: string;
  readonly lane: MailLane;
  readonly lease: string;
  readonly now: number;
}

/**
 * Records the results of the attempts made under one claim, in the caller's transaction.
 * @returns the number of emails that won't be attempted again, either because they were sent or because they failed permanently.
 */
export function* recordMailResults(
  tx: StorageTransaction,
  record: RecordEvent,
  { organizationId, lane, lease, now }: ResultClaim,
  outcomes: readonly MailOutcome[],
): Step<number> {
  if (outcomes.length === 0 || (yield* tx.findMailQueue(organizationId)) === null) return 0;
  const byId = new Map(outcomes.map((outcome) => [outcome.deliveryId, outcome]));
  const after: StoredMessageDelivery[] = [];
  const found = yield* tx.messageDeliveriesById(organizationId, [...byId.keys()]);
  for (const before of found) {
    const outcome = byId.get(before.id);
    if (outcome === undefined || before.status !== "SENDING") continue;
    after.push(afterAttempt(before, outcome, now));
  }
  const results = after.map(({ id: subject, nextAttemptAt }) => {
    return { subject, revision: MAIL_REVISION, nextAttemptAt };
  });
  const settled = new Set(yield* tx.recordResults(organizationId, mailJobs, lane, lease, results, now));
  const written = after.filter(({ id }) => settled.has(id));
  yield* tx.updateMessageDeliveries(organizationId, written);
  const changes = new DeliveryTally(organizationId, now);
  const before = new Map(found.map((delivery) => [delivery.id, delivery]));
  for (const delivery of written) changes.record(before.get(delivery.id) ?? null, delivery);
  yield* changes.write(tx, record);
  for (const { id, userId } of written) {
    const outcome = byId.get(id);
    // Even if the email has already failed because of a bounce, its address is still unusable.
    if (outcome !== undefined && isAddressDead(outcome))
      yield* refuseAddress(tx, organizationId, userId, outcome.to, now);
  }
  return written.filter(({ nextAttemptAt }) => nextAttemptAt === null).length;
}

function isAddressDead({ result }: MailOutcome): boolean {
  return result.kind === "refused" && result.fault === "address" && result.isPermanent;
}

/** Suppresses an address that its server doesn't know, if it is still the customer's address. */
function* refuseAddress(
  tx: StorageTransaction,
  organizationId: string,
  userId: string,
  address: string,
  now: number,
): Step<void> {
  const user = yield* tx.findUser(organizationId, userId);
  if (user === null || user.email === null || foldEmail(user.email) !== foldEmail(address)) return;
  const before = yield* readSubscription(tx, organizationId, userId);
  const after = suppressAddress(before, "refused", now);
  if (after !== before) yield* tx.putSubscription(organizationId, after);
}
