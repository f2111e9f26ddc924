import type { Step } from "../base/concurrency/step.js";
import { timestampOrNull } from "../base/values/clock.js";
import { foldEmail } from "../base/values/email.js";
import { type RecordEvent, recordSilentChange } from "../kernel/events/recording.js";
import type { Change } from "../kernel/tenant.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription, SubscriptionSource, SubscriptionStatus } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import type { MessageChannel } from "./subscription-schema.js";

/** A customer's consent to receive messages on one channel. */
export interface ChannelState {
  readonly status: SubscriptionStatus;
  readonly at: number | null;
  readonly source: SubscriptionSource | null;
  readonly text: string | null;
}

export const channels = ["email", "wallet"] as const satisfies MessageChannel[];

/** Returns the subscription of a customer who has never stated a preference. */
export function emptySubscription(userId: string): StoredSubscription {
  return {
    userId,
    emailStatus: "NONE",
    emailAt: null,
    emailSource: null,
    emailText: null,
    walletStatus: "NONE",
    walletAt: null,
    walletSource: null,
    walletText: null,
    suppressedReason: null,
    suppressedAt: null,
    emailConfirmedAt: null,
    addressSince: null,
    language: null,
  };
}

export function getChannelState(subscription: StoredSubscription, channel: MessageChannel): ChannelState {
  const { emailStatus, emailAt, emailSource, emailText } = subscription;
  if (channel === "email") return { status: emailStatus, at: emailAt, source: emailSource, text: emailText };
  const { walletStatus: status, walletAt: at, walletSource: source, walletText: text } = subscription;
  return { status, at, source, text };
}

export function withChannel(
  subscription: StoredSubscription,
  channel: MessageChannel,
  { status, at, source, text }: ChannelState,
): StoredSubscription {
  return channel === "email"
    ? { ...subscription, emailStatus: status, emailAt: at, emailSource: source, emailText: text }
    : { ...subscription, walletStatus: status, walletAt: at, walletSource: source, walletText: text };
}

/**
 * Unsubscribes a customer from a channel because they followed an unsubscribe link or reported an email as spam. Has no effect if
 * the customer has already unsubscribed themselves.
 */
export function unsubscribe(
  subscription: StoredSubscription,
  channel: MessageChannel,
  source: "link" | "bounce",
  now: number,
): StoredSubscription {
  if (isCustomerInitiated(getChannelState(subscription, channel))) return subscription;
  return withChannel(subscription, channel, { status: "UNSUBSCRIBED", at: now, source, text: null });
}

/**
 * Returns whether the customer unsubscribed themselves, for example with a link or a spam complaint, rather than being unsubscribed
 * on their behalf.
 */
export function isCustomerInitiated({ status, source }: Pick<ChannelState, "status" | "source">): boolean {
  return status === "UNSUBSCRIBED" && (source === "link" || source === "bounce" || source === "customer");
}

/**
 * Returns the subscription with its address suppressed. A complaint replaces an earlier reason. Any other reason is ignored if the
 * address is already suppressed.
 */
export function suppressAddress(
  subscription: StoredSubscription,
  reason: NonNullable<StoredSubscription["suppressedReason"]>,
  now: number,
): StoredSubscription {
  const existingReason = subscription.suppressedReason;
  if (existingReason !== null && (existingReason === reason || reason !== "complained")) return subscription;
  return { ...subscription, suppressedReason: reason, suppressedAt: now };
}

/**
 * Returns the subscription after the customer's address has changed. The new address is unconfirmed and not suppressed, and an
 * email consent from the sign-up page becomes pending until the customer confirms the new address.
 */
function withNewAddress(subscription: StoredSubscription, now: number): StoredSubscription {
  const { emailStatus, emailSource } = subscription;
  const needsConfirmation = emailStatus === "SUBSCRIBED" && emailSource === "join";
  return {
    ...subscription,
    ...(needsConfirmation && { emailStatus: "PENDING" as const }),
    suppressedReason: null,
    suppressedAt: null,
    emailConfirmedAt: null,
    addressSince: now,
  };
}

/** Returns whether an email consent from the sign-up page takes effect once the customer confirms the address. */
export function isNewsPending({ emailStatus, emailSource }: StoredSubscription): boolean {
  return emailStatus === "PENDING" && emailSource === "join";
}

/** Returns the subscription with its address marked as confirmed. A pending email consent from the sign-up page takes effect. */
export function confirmAddress(subscription: StoredSubscription, now: number): StoredSubscription {
  const { emailConfirmedAt } = subscription;
  const hasPendingConsent = isNewsPending(subscription);
  if (!hasPendingConsent && emailConfirmedAt !== null) return subscription;
  return {
    ...subscription,
    ...(hasPendingConsent && { emailStatus: "SUBSCRIBED" as const }),
    emailConfirmedAt: emailConfirmedAt ?? now,
  };
}

export function* readSubscription(reader: StorageReader, userId: string): Step<StoredSubscription> {
  return (yield* reader.findSubscription(userId)) ?? emptySubscription(userId);
}

/**
 * Saves a changed subscription and records an event for each channel that changed. Does nothing if `after` is the same object as
 * `before`.
 */
export function* saveSubscription(
  { tx, record }: Change,
  before: StoredSubscription,
  after: StoredSubscription,
): Step<void> {
  if (after === before) return;
  yield* tx.putSubscription(after);
  recordChannelChanges(record, before, after);
  if (after.language !== before.language) yield* recordSilentChange(tx, [after.userId]);
}

export function recordChannelChanges(
  record: RecordEvent,
  before: StoredSubscription,
  after: StoredSubscription,
): void {
  const { userId } = after;
  for (const channel of channels) {
    const { status, at, source } = getChannelState(after, channel);
    const previous = getChannelState(before, channel);
    if (isSameState(previous, getChannelState(after, channel))) continue;
    // An imported withdrawal happened elsewhere and earlier, so it doesn't count in the statistics.
    const isWithdrawal = status === "UNSUBSCRIBED" && previous.status !== status && source !== "import";
    const change = { userId, channel, status, source, at: timestampOrNull(at) };
    record("subscription.changed", change, isWithdrawal ? { unsubscribed: 1 } : {});
  }
}

function isSameState(a: ChannelState, b: ChannelState): boolean {
  return a.status === b.status && a.at === b.at && a.source === b.source && a.text === b.text;
}

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

/** A customer's email consent and language for emails, as imported from another program. */
export interface ImportedConsent {
  /** The customer's email consent, or `null` if the import doesn't include it. */
  readonly email: {
    readonly status: "SUBSCRIBED" | "UNSUBSCRIBED";
    /** When the consent was given or withdrawn, or `null` for the current time. */
    readonly at: number | null;
    readonly text: string | null;
  } | null;
  /** The language for emails, or `null` if the import doesn't include one. */
  readonly language: string | null;
}

/**
 * Applies an imported consent to a subscription. Returns the same object if nothing changes. The consent isn't applied, and
 * `isSkipped` is `true`, if the customer unsubscribed themselves or was unsubscribed after giving the consent.
 */
export function applyImportedConsent(
  before: StoredSubscription,
  { email, language }: ImportedConsent,
  now: number,
): { readonly after: StoredSubscription; readonly isSkipped: boolean } {
  const withLanguage = language === null || language === before.language ? before : { ...before, language };
  if (email === null) return { after: withLanguage, isSkipped: false };
  const current = getChannelState(before, "email");
  const { status, at, text } = email;
  if (current.status === "UNSUBSCRIBED") {
    if (status === "UNSUBSCRIBED") return { after: withLanguage, isSkipped: false };
    if (isCustomerInitiated(current) || (at ?? now) <= (current.at ?? 0))
      return { after: withLanguage, isSkipped: true };
  }
  const state = { status, at: at ?? now, source: "import", text } as const;
  const isSame = isSameState(current, state);
  return { after: isSame ? withLanguage : withChannel(withLanguage, "email", state), isSkipped: false };
}
