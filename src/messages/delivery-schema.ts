import * as z from "zod";
import { languageText } from "../base/fields/language.js";
import { text, wireTimestamp } from "../base/fields/text.js";
import { listQuery, wirePage } from "../base/page.js";
import { timesOf, timestamp, timestampOrNull } from "../base/values/clock.js";
import {
  type MessageAttempt,
  messageDeliveryKinds,
  messageDeliveryReasons,
  messageDeliveryStatuses,
  type StoredMessageDelivery,
} from "../storage/mail.js";
import { walletPlatform } from "../wallets/schema.js";
import { messageChannel } from "./subscription-schema.js";

const status = z.enum(messageDeliveryStatuses);

const attemptSchema = z
  .object({
    at: wireTimestamp,
    durationMs: z.int().min(0),
    code: z.int().nullable(),
    answer: z.string().nullable(),
  })
  .meta({ id: "MessageAttempt" });

export const messageDeliverySchema = z
  .object({
    id: z.string(),
    object: z.literal("message_delivery"),
    kind: z.enum(messageDeliveryKinds),
    userId: z.string(),
    passId: z.string().nullable(),
    messageId: z.string().nullable(),
    automationRunId: z.string().nullable(),
    channel: messageChannel,
    platform: walletPlatform.nullable(),
    status,
    reason: z.enum(messageDeliveryReasons).nullable(),
    isSilent: z.boolean(),
    isUncertain: z.boolean(),
    attempts: z.array(attemptSchema),
    nextAttemptAt: wireTimestamp.nullable(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "MessageDelivery" });

/**
 * The delivery of one email or card message to one customer. `ACCEPTED` means that the customer's mail server has accepted the
 * email, or that a wallet has received the card. `isUncertain` means that the mail server's reply might have been lost, so the
 * email might arrive twice. `automationRunId` is `null` unless `kind` is `automation`. `attempts` lists the last ten attempts,
 * oldest first. `nextAttemptAt` is `null` unless the delivery is `PENDING`.
 */
export type MessageDelivery = z.output<typeof messageDeliverySchema>;

export const messageDeliveryPageSchema = wirePage(messageDeliverySchema).meta({ id: "MessageDeliveryPage" });

export const messageDeliveryQuerySchema = z.object({ ...listQuery, status: status.optional() });

export type MessageDeliveryListQuery = z.input<typeof messageDeliveryQuerySchema>;

export const notifyPassSchema = z
  .object({ language: languageText.nullish() })
  .meta({ id: "NotifyWalletPass" });

/**
 * Options for emailing a pass's card. `language` is a BCP 47 tag. Default: the customer's language, or the card design's if the
 * customer's is unknown.
 */
export type NotifyPass = z.input<typeof notifyPassSchema>;

/**
 * The schema for the outcome of `notify: true`: either the delivery for the pass's email, or an error code if no email was queued.
 */
export const notificationSchema = z
  .union([z.object({ delivery: messageDeliverySchema }), z.object({ refused: z.string() })])
  .meta({ id: "PassNotification" });

export type PassNotification = z.output<typeof notificationSchema>;

const bounceKind = z.enum(["hard", "soft", "complaint"]);

export type BounceKind = z.output<typeof bounceKind>;

export const bounceSchema = z.object({ kind: bounceKind }).meta({ id: "Bounce" });

/**
 * A bounce that was reported for an email. A `hard` bounce or a `complaint` stops all email to the address until the customer's
 * address changes. A `soft` bounce is only recorded.
 */
export type Bounce = z.input<typeof bounceSchema>;

export const addressBounceSchema = z
  .object({ email: text(), kind: bounceKind })
  .meta({ id: "AddressBounce" });

export type AddressBounce = z.input<typeof addressBounceSchema>;

export function toMessageDelivery(delivery: StoredMessageDelivery): MessageDelivery {
  const { id, kind, userId, passId, messageId, automationRunId, channel, platform } = delivery;
  const { status, isSilent, isUncertain } = delivery;
  return {
    id,
    object: "message_delivery",
    kind,
    userId,
    passId,
    messageId,
    automationRunId,
    channel,
    platform,
    status,
    // A delivery in progress may already have a reason that becomes visible only when it fails.
    reason: status === "SKIPPED" || status === "FAILED" ? delivery.reason : null,
    isSilent,
    isUncertain,
    attempts: delivery.attempts.map(toAttempt),
    nextAttemptAt: timestampOrNull(delivery.nextAttemptAt),
    ...timesOf(delivery),
  };
}

function toAttempt({ at, durationMs, code, answer }: MessageAttempt) {
  return { at: timestamp(at), durationMs, code, answer };
}
