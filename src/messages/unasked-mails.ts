import type { Step } from "../base/concurrency/step.js";
import { DAY_MS, HOUR_MS } from "../base/values/clock.js";
import { foldEmail } from "../base/values/email.js";
import { ALL_ORGANIZATIONS, findCooldownSlot, startCooldown } from "../kernel/cooldowns.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import { lastAttemptAt } from "./mail-outcome.js";

/** Maximum number of emails without consent that one organization may send to an address within 24 hours. */
const MAX_OF_ONE = 10;

/**
 * Maximum number of emails without consent that all organizations together may send to an address within an hour, not counting
 * organizations with which the address is confirmed.
 */
const MAX_OF_ALL = 30;

/** The recipient of an email that requires no consent: their address, and their subscription if they have one. */
export interface MailedCustomer {
  readonly email: string;
  readonly subscription: StoredSubscription | null;
}

/** Returns whether the customer has confirmed their address through a link in one of the organization's emails. */
export function isConfirmed(subscription: StoredSubscription | null): boolean {
  return subscription !== null && subscription.emailConfirmedAt !== null;
}

/**
 * Counts an email that needs no consent against the limits for its address, unless it has been attempted before. The limits apply
 * per address rather than per customer, because an organization can enter any address for a customer, use it for many cards, and
 * reuse it after deleting the customer.
 * @returns the time until which the email must wait, or `null` if it can be sent now.
 */
export function* countUnaskedMail(
  tx: StorageTransaction,
  organizationId: string,
  delivery: StoredMessageDelivery,
  { email, subscription }: MailedCustomer,
  now: number,
): Step<number | null> {
  if (delivery.kind === "message" || delivery.kind === "automation") return null;
  if (lastAttemptAt(delivery) !== null) return null;
  const mail = `card mail to ${foldEmail(email)}`;
  const bounds = [{ counted: `${mail} of ${organizationId}`, limit: MAX_OF_ONE, ms: DAY_MS }];
  if (!isConfirmed(subscription)) bounds.push({ counted: mail, limit: MAX_OF_ALL, ms: HOUR_MS });
  const marks: { readonly name: string; readonly until: number }[] = [];
  for (const { counted, limit, ms } of bounds) {
    const { name, freeAt } = yield* findCooldownSlot(tx, ALL_ORGANIZATIONS, counted, limit, now);
    if (freeAt > now) return freeAt;
    marks.push({ name, until: now + ms });
  }
  // An email counts toward the limits only if it is sent.
  for (const { name, until } of marks) yield* startCooldown(tx, ALL_ORGANIZATIONS, name, { now, until });
  return null;
}
