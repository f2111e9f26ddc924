import { HOUR_MS, MINUTE_MS, nextUpdatedAt } from "../base/values/clock.js";
import { LEASE_MS } from "../kernel/engine.js";
import type { MessageAttempt, MessageDeliveryReason, StoredMessageDelivery } from "../storage/mail.js";
import { shortenReply } from "./server-reply.js";

/** Time until a queued email about a pass expires if it hasn't been sent, in milliseconds. */
export const PASS_MAIL_LIFETIME_MS = 48 * HOUR_MS;

/** The delays after the first failure, the second failure, and so on, in milliseconds; the last one repeats. */
const RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  12 * HOUR_MS,
];

/**
 * How long an email waits after a transport failure, in milliseconds, doubled after each attempt, up to 64 times this value. If the
 * transport fails for only one email, the rest are sent while it waits.
 */
const TRANSPORT_DELAY_MS = 5_000;
const MAX_DOUBLINGS = 6;

const MAX_STORED_ATTEMPTS = 10;

/**
 * How an attempt to send an email ended. `refused` means that the address or the email itself caused the failure. `transport` means
 * that the sender's server or settings caused it.
 */
export type MailResult =
  | { readonly kind: "accepted"; readonly code: number | null; readonly answer: string | null }
  | {
      readonly kind: "refused";
      /** Whether the failure was caused by the recipient's address or by this particular email. */
      readonly fault: "address" | "message";
      readonly isPermanent: boolean;
      /** Whether the server may have accepted the email even though the attempt failed. */
      readonly isUncertain?: boolean;
      readonly code: number | null;
      readonly answer: string | null;
    }
  | {
      /** The failure was caused by the sender's server or settings, so it doesn't count as a failed attempt for this email. */
      readonly kind: "transport";
      readonly isUncertain?: boolean;
      readonly code: number | null;
      readonly answer: string | null;
    }
  /** The email was claimed but never handed to a transport. */
  | { readonly kind: "unsent" };

export interface MailOutcome {
  readonly deliveryId: string;
  /** The address that the email was sent to. It is removed from the mail server's reply before the reply is stored. */
  readonly to: string;
  readonly result: MailResult;
  /** When the attempt started, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly durationMs: number;
}

/** The facts that determine whether a delivery can still be sent. */
export interface SendingConditions {
  /** The reason to skip the email if the customer or the pass was deleted, or `null` if both still exist. */
  readonly deletionReason: "customer_deleted" | "pass_deleted" | null;
  readonly hasAddress: boolean;
  readonly isSuppressed: boolean;
}

/** Returns the delivery marked as claimed for sending. Its `updatedAt` is the time of the claim, unless the clock was set back. */
export function markClaimed(delivery: StoredMessageDelivery, now: number): StoredMessageDelivery {
  return {
    ...delivery,
    status: "SENDING",
    nextAttemptAt: null,
    updatedAt: Math.max(delivery.updatedAt, now),
  };
}

/**
 * Returns the delivery marked as waiting until its address can receive another email or until the delivery expires, whichever comes
 * first.
 */
export function setWaiting(
  delivery: StoredMessageDelivery,
  until: number,
  now: number,
): StoredMessageDelivery {
  return setPending(delivery, Math.min(until, delivery.expiresAt), now);
}

/**
 * Returns the delivery's new state after its claim has expired without a result, for example because the process crashed. The email
 * might have been sent, so this counts as a failed attempt with an uncertain outcome.
 */
export function applyClaimExpiry(delivery: StoredMessageDelivery, now: number): StoredMessageDelivery {
  // The clock may have been set back since the claim.
  const at = Math.min(delivery.updatedAt, now - LEASE_MS);
  const attempt = { at, durationMs: now - at, code: null, answer: null };
  return applyFailure({ ...withAttempt(delivery, attempt), isUncertain: true }, at, now);
}

/** Returns whether the claim on an email that is being sent has expired. After that, the email's result can't be recorded. */
export function isClaimExpired({ updatedAt }: StoredMessageDelivery, now: number): boolean {
  return now - updatedAt >= LEASE_MS;
}

/**
 * Returns the delivery marked as ended before it was accepted, because its message was canceled or expired or its customer was
 * deleted. The delivery fails if an earlier attempt bounced, or if it expires after a failed attempt. Otherwise, it is skipped.
 */
export function endEarly(
  delivery: StoredMessageDelivery,
  reason: "canceled" | "expired" | "customer_deleted",
  now: number,
): StoredMessageDelivery {
  if (reason === "customer_deleted") return setSkipped(delivery, reason, now);
  // An attempt whose reply was lost has bounced.
  if (delivery.reason !== null) return setFailed(delivery, delivery.reason, now);
  const wasAttempted = reason === "expired" && delivery.failures > 0;
  return wasAttempted ? setFailed(delivery, "gave_up", now) : setSkipped(delivery, reason, now);
}

/** Returns the delivery marked as ended if it must not be sent, or `null` if it can be sent. */
export function endIfBlocked(
  delivery: StoredMessageDelivery,
  { deletionReason, hasAddress, isSuppressed }: SendingConditions,
  now: number,
): StoredMessageDelivery | null {
  if (deletionReason !== null) return setSkipped(delivery, deletionReason, now);
  if (delivery.reason !== null || now >= delivery.expiresAt) return endEarly(delivery, "expired", now);
  if (!hasAddress) return setSkipped(delivery, "no_address", now);
  if (isSuppressed) return setSkipped(delivery, "suppressed", now);
  return null;
}

/** Returns the delivery updated with an attempt's result: accepted, permanently failed, or pending until the next attempt. */
export function applyAttemptResult(
  before: StoredMessageDelivery,
  { to, result, at, durationMs }: MailOutcome,
  now: number,
): StoredMessageDelivery {
  if (result.kind === "unsent") return setPending(before, now, now);
  const { code } = result;
  const reply = result.answer === null ? null : shortenReply(result.answer, to);
  const attemptedDelivery = withAttempt(before, { at, durationMs, code, answer: reply });
  switch (result.kind) {
    case "accepted":
      // A bounce may arrive before the reply.
      return attemptedDelivery.reason === null
        ? withEndStatus(attemptedDelivery, "ACCEPTED", null, now)
        : setFailed(attemptedDelivery, attemptedDelivery.reason, now);
    case "transport": {
      const delay = TRANSPORT_DELAY_MS * 2 ** Math.min(before.attempts.length, MAX_DOUBLINGS);
      return setPending(
        { ...attemptedDelivery, isUncertain: isUncertain(attemptedDelivery, result) },
        now + delay,
        now,
      );
    }
    case "refused": {
      const { fault, isPermanent } = result;
      if (isPermanent)
        return setFailed(attemptedDelivery, attemptedDelivery.reason ?? `${fault}_refused`, now);
      return applyFailure(
        { ...attemptedDelivery, isUncertain: isUncertain(attemptedDelivery, result) },
        now,
        now,
      );
    }
  }
}

/** @param failedAt the time at which the retry delay begins. */
function applyFailure(delivery: StoredMessageDelivery, failedAt: number, now: number): StoredMessageDelivery {
  const failures = delivery.failures + 1;
  const delay = RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length) - 1] ?? 0;
  const failedDelivery = { ...delivery, failures };
  const nextAttemptAt = failedAt + delay;
  return nextAttemptAt >= delivery.expiresAt
    ? setFailed(failedDelivery, delivery.reason ?? "gave_up", now)
    : setPending(failedDelivery, nextAttemptAt, now);
}

/**
 * Returns the delivery after a bounce was reported. An accepted delivery fails immediately. If the delivery is still being sent, or
 * is pending after an attempt with an uncertain outcome, the bounce is stored as its reason, and the delivery fails once the
 * current attempt completes or the next attempt is due. In all other cases, the delivery is returned unchanged.
 */
export function applyBounce(
  delivery: StoredMessageDelivery,
  reason: "bounced" | "complained",
  now: number,
): StoredMessageDelivery {
  switch (delivery.status) {
    case "ACCEPTED":
      return setFailed(delivery, reason, now);
    case "SENDING":
      // Keeps the time of the claim.
      return { ...delivery, reason: delivery.reason ?? reason };
    case "PENDING":
      return delivery.isUncertain ? { ...delivery, reason: delivery.reason ?? reason } : delivery;
    default:
      return delivery;
  }
}

const SOFT_BOUNCE_REPLY = "temporary bounce";

/**
 * Returns the delivery with a soft bounce added to its attempts. The delivery isn't retried, because the mail server that reported
 * the bounce retries on its own.
 */
export function applySoftBounce(delivery: StoredMessageDelivery, now: number): StoredMessageDelivery {
  const attemptedDelivery = withAttempt(delivery, {
    at: now,
    durationMs: 0,
    code: null,
    answer: SOFT_BOUNCE_REPLY,
  });
  // Keeps the time of the claim.
  return delivery.status === "SENDING"
    ? attemptedDelivery
    : { ...attemptedDelivery, updatedAt: nextUpdatedAt(delivery.updatedAt, now) };
}

/**
 * Returns when the most recent attempt started, in milliseconds since the Unix epoch, or `null` if there was none. Soft bounces
 * don't count as attempts.
 */
export function findLastAttemptTime({ attempts }: Pick<StoredMessageDelivery, "attempts">): number | null {
  return attempts.findLast(({ answer }) => answer !== SOFT_BOUNCE_REPLY)?.at ?? null;
}

/** Returns the delivery with an attempt added to its list. */
function withAttempt(delivery: StoredMessageDelivery, attempt: MessageAttempt): StoredMessageDelivery {
  return { ...delivery, attempts: [...delivery.attempts, attempt].slice(-MAX_STORED_ATTEMPTS) };
}

function isUncertain(
  delivery: StoredMessageDelivery,
  { isUncertain = false }: { readonly isUncertain?: boolean },
): boolean {
  return delivery.isUncertain || isUncertain;
}

function setPending(
  delivery: StoredMessageDelivery,
  nextAttemptAt: number,
  now: number,
): StoredMessageDelivery {
  return { ...delivery, status: "PENDING", nextAttemptAt, updatedAt: nextUpdatedAt(delivery.updatedAt, now) };
}

function setSkipped(delivery: StoredMessageDelivery, reason: MessageDeliveryReason, now: number) {
  return withEndStatus(delivery, "SKIPPED", reason, now);
}

function setFailed(delivery: StoredMessageDelivery, reason: MessageDeliveryReason, now: number) {
  return withEndStatus(delivery, "FAILED", reason, now);
}

export function withEndStatus(
  delivery: StoredMessageDelivery,
  status: "ACCEPTED" | "SKIPPED" | "FAILED",
  reason: MessageDeliveryReason | null,
  now: number,
): StoredMessageDelivery {
  return {
    ...delivery,
    status,
    reason,
    nextAttemptAt: null,
    updatedAt: nextUpdatedAt(delivery.updatedAt, now),
  };
}
