import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound } from "../base/errors.js";
import { nextUpdatedAt } from "../base/values/clock.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import { assertBelowLimit } from "../kernel/limits.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import { messageJobs, type StoredMessage } from "../storage/messages.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { assertAudienceAllowed } from "./audience.js";
import { assertNoErrors, findMissingTexts, findTimeErrors } from "./draft-validation.js";
import { computeMessageEnd } from "./message-times.js";
import { decodeAudience, toMessageProgress } from "./schema.js";

/**
 * Finds a message in any status by its ID.
 * @throws {LoyaltyError} `resource_not_found` if there is no such message.
 */
export function* findMessage(reader: StorageReader, organizationId: string, id: string): Step<StoredMessage> {
  const message = isStorable(id) ? yield* reader.findMessage(id) : null;
  if (message === null) throw notFound("message", id, organizationId);
  return message;
}

/** Throws `message_not_draft` unless the message is a draft. */
export function requireDraft({ status }: Pick<StoredMessage, "status">): void {
  if (status !== "DRAFT") throw createLoyaltyError("message_not_draft");
}

/** Throws `message_not_draft` if the message has already started or ended. */
export function requireNotStarted({ status }: Pick<StoredMessage, "status">): void {
  if (status !== "DRAFT" && status !== "SCHEDULED") throw createLoyaltyError("message_not_draft");
}

/** Throws `resource_not_found` if a template is specified but doesn't exist. */
export function* requireTemplate(
  reader: StorageReader,
  organizationId: string,
  templateId: string | null,
): Step<void> {
  if (templateId !== null && (yield* reader.findTemplate(templateId)) === null)
    throw notFound("template", templateId, organizationId);
}

/**
 * Wakes this process's message workers after a change that sent, canceled, or tested messages. Has no effect in a host transaction,
 * because the transaction hasn't committed yet.
 */
export function signalMessageWork({ engine, organizationId, isJoining }: Tenant): void {
  if (!isJoining) engine.channels.messages.signalWork(organizationId);
}

/**
 * Schedules a draft in the caller's transaction, so that workers start sending it at its scheduled time, or now if it has none.
 * @throws {LoyaltyError} the first error that applies: `access_denied` for the audience, `resource_not_found` for the template,
 *   `message_not_draft`, `validation_failed`, `mail_not_configured`, `wallets_not_configured`, or `too_many_messages`.
 */
export function* scheduleDraft(
  tenant: Tenant,
  tx: StorageTransaction,
  draft: StoredMessage,
): Step<StoredMessage> {
  const { organizationId } = tenant;
  const { id, channels, sendAt } = draft;
  yield* assertAudienceAllowed(tenant, tx, decodeAudience(draft));
  yield* requireTemplate(tx, organizationId, draft.templateId);
  requireDraft(draft);
  const now = tenant.now();
  assertNoErrors({ ...findMissingTexts(draft), ...findTimeErrors(draft, now) });
  requireChannels(tenant, draft);
  yield* assertBelowLimit(tx, tenant, "scheduledMessages");
  const at = Math.max(sendAt ?? now, now);
  if (at === now) yield* assertBelowLimit(tx, tenant, "sendingMessages");
  const message: StoredMessage = {
    ...draft,
    status: "SCHEDULED",
    endsAt: computeMessageEnd(draft, now),
    updatedAt: nextUpdatedAt(draft.updatedAt, now),
  };
  yield* tx.updateMessageProgress(message);
  yield* scheduleMessage(tx, id, at, now);
  yield* recordAuditEntry(tx, tenant, { action: "message.sent", target: id, details: { channels, sendAt } });
  return message;
}

/**
 * Cancels a message in the caller's transaction. A message that hasn't started ends immediately. Otherwise, workers finish the
 * deliveries that are already claimed and end the rest.
 * @throws {LoyaltyError} `message_ended` if the message has already ended.
 */
export function* cancelMessage({ tenant, tx, record }: Change, before: StoredMessage): Step<StoredMessage> {
  const { id, status } = before;
  const hasStarted = status === "SENDING";
  if (status !== "DRAFT" && status !== "SCHEDULED" && !hasStarted) throw createLoyaltyError("message_ended");
  const now = tenant.now();
  const message: StoredMessage = {
    ...before,
    status: "CANCELED",
    ...(!hasStarted && { completedAt: now, isSettled: true }),
    updatedAt: nextUpdatedAt(before.updatedAt, now),
  };
  yield* tx.updateMessageProgress(message);
  // A worker also removes the message's tests from cards that show them.
  yield* scheduleMessage(tx, id, now, now);
  if (!hasStarted) record("message.canceled", toMessageProgress(message));
  yield* recordAuditEntry(tx, tenant, { action: "message.canceled", target: id });
  return message;
}

/** Returns the error code for the first of the message's channels that isn't set up, or `null` if all of them are set up. */
export function findMissingChannel(
  { engine }: Tenant,
  { channels }: Pick<StoredMessage, "channels">,
): "mail_not_configured" | "wallets_not_configured" | null {
  const { email, wallet } = engine.channels.available;
  if (channels.includes("email") && !email) return "mail_not_configured";
  return channels.includes("wallet") && !wallet ? "wallets_not_configured" : null;
}

/** Throws `mail_not_configured` or `wallets_not_configured` if one of the message's channels isn't set up. */
export function requireChannels(tenant: Tenant, content: Pick<StoredMessage, "channels">): void {
  const channelError = findMissingChannel(tenant, content);
  if (channelError !== null) throw createLoyaltyError(channelError);
}

/** The revision of every message job. It never changes, because the message's state alone determines the remaining work. */
const REVISION = 1;

export const MESSAGE_LANE = "message";

/** Schedules a message's next step in the caller's transaction, replacing the message's previous job. */
export function* scheduleMessage(
  tx: StorageTransaction,
  messageId: string,
  at: number,
  now: number,
): Step<void> {
  if ((yield* tx.lockQueue(messageJobs)) === null)
    yield* tx.insertQueue(messageJobs, { testTimes: [], createdAt: now });
  yield* tx.deleteJobs(messageJobs, MESSAGE_LANE, [messageId]);
  const job = {
    messageId,
    lane: MESSAGE_LANE,
    revision: REVISION,
    nextAttemptAt: at,
    createdAt: now,
  } as const;
  yield* tx.putJobs(messageJobs, [job]);
}
