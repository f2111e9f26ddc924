import type { Step } from "../concurrency/step.js";
import { DAY, HOUR } from "../jobs/retries.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import { ALL_ORGANIZATIONS, findCooldownSlot, startCooldown } from "../tenant/cooldowns.js";
import { foldEmail } from "../values/email.js";
import { lastAttemptAt } from "./mail-outcome.js";

/** An address gets at most this many mails of one organization within 24 hours that need no consent. */
const MAX_OF_ONE = 10;

/** An address gets at most this many of all organizations within an hour, except from those in which it is confirmed. */
const MAX_OF_ALL = 30;

/** The customer that a mail goes to. */
export interface MailedCustomer {
  readonly email: string;
  readonly subscription: StoredSubscription | null;
}

/** Returns whether a link in a mail of the organization has confirmed the customer's address. */
export function isConfirmed(subscription: StoredSubscription | null): boolean {
  return subscription !== null && subscription.emailConfirmedAt !== null;
}

/**
 * Counts the first attempt of a mail that needs no consent: an organization can name any address as a customer's, under many cards, and
 * again after it deletes the customer. So the address counts, and not the customer.
 * @returns the time until which the mail waits; `null` if it may be sent.
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
  const bounds = [{ counted: `${mail} of ${organizationId}`, limit: MAX_OF_ONE, ms: DAY }];
  if (!isConfirmed(subscription)) bounds.push({ counted: mail, limit: MAX_OF_ALL, ms: HOUR });
  const marks: { readonly name: string; readonly until: number }[] = [];
  for (const { counted, limit, ms } of bounds) {
    const { name, freeAt } = yield* findCooldownSlot(tx, ALL_ORGANIZATIONS, counted, limit, now);
    if (freeAt > now) return freeAt;
    marks.push({ name, until: now + ms });
  }
  // Only a mail that goes out counts for either.
  for (const { name, until } of marks) yield* startCooldown(tx, ALL_ORGANIZATIONS, name, { now, until });
  return null;
}
