import * as z from "zod";
import { instantText } from "../base/fields/instant.js";
import { languageText } from "../base/fields/language.js";
import { nonBlankText, wireTimestamp } from "../base/fields/text.js";
import { timestampOrNull } from "../base/values/clock.js";
import {
  messageChannels,
  type StoredSubscription,
  subscriptionSources,
  subscriptionStatuses,
  suppressedReasons,
} from "../storage/subscriptions.js";

const MAX_CONSENT_LENGTH = 2_000;

const status = z.enum(subscriptionStatuses);
const source = z.enum(subscriptionSources);

export const messageChannel = z.enum(messageChannels);

export type MessageChannel = z.output<typeof messageChannel>;

const channelSchema = z.object({
  status,
  at: wireTimestamp.nullable(),
  source: source.nullable(),
  text: z.string().nullable(),
});

export const subscriptionSchema = z
  .object({
    object: z.literal("subscription"),
    userId: z.string(),
    email: channelSchema,
    wallet: channelSchema,
    suppressed: z.object({ reason: z.enum(suppressedReasons), at: wireTimestamp }).nullable(),
    emailConfirmedAt: wireTimestamp.nullable(),
    language: z.string().nullable(),
  })
  .meta({ id: "Subscription" });

/**
 * A customer's consent to receive messages, by channel. Each channel has a status, the time when that status took effect, `source`
 * (who stated it), and the text that the customer agreed to. `suppressed` is the reason why no email is sent to the address until
 * it changes. `language` is a BCP 47 tag.
 */
export type Subscription = z.output<typeof subscriptionSchema>;

/** The schema for the text that a customer agreed to when they gave their consent. */
export const consentText = nonBlankText(MAX_CONSENT_LENGTH);

const putChannelSchema = z
  .object({
    status: z.enum(["SUBSCRIBED", "UNSUBSCRIBED"]),
    text: consentText.nullish(),
    at: instantText.refine((at) => Date.parse(at) >= 0, { error: "must not be before 1970" }).optional(),
  })
  .superRefine(({ status, text }, context) => {
    if (status === "SUBSCRIBED" && text == null)
      context.addIssue({ code: "custom", path: ["text"], message: "is required for a consent" });
  });

export const putSubscriptionSchema = z
  .object({
    email: putChannelSchema.optional(),
    wallet: putChannelSchema.optional(),
    language: languageText.nullable().optional(),
  })
  .meta({ id: "PutSubscription" });

/**
 * Changes to a subscription. Only the given fields change. `SUBSCRIBED` requires the `text` that the customer agreed to. `at` is
 * when the consent was given or withdrawn (default: now). `language: null` clears the language.
 */
export type PutSubscription = z.input<typeof putSubscriptionSchema>;

/** The part of a parsed {@link PutSubscription} for one channel. */
export type PutChannel = z.output<typeof putChannelSchema>;

export const subscriptionChangeSchema = z
  .object({
    userId: z.string(),
    channel: messageChannel,
    status,
    source: source.nullable(),
    at: wireTimestamp.nullable(),
  })
  .meta({ id: "SubscriptionChange" });

/** The data in a consent-change event. It covers one channel and excludes the consent text. */
export type SubscriptionChange = z.output<typeof subscriptionChangeSchema>;

export function toSubscription(subscription: StoredSubscription): Subscription {
  const { userId, suppressedReason, suppressedAt, emailConfirmedAt, language } = subscription;
  const at = timestampOrNull(suppressedAt);
  return {
    object: "subscription",
    userId,
    email: {
      status: subscription.emailStatus,
      at: timestampOrNull(subscription.emailAt),
      source: subscription.emailSource,
      text: subscription.emailText,
    },
    wallet: {
      status: subscription.walletStatus,
      at: timestampOrNull(subscription.walletAt),
      source: subscription.walletSource,
      text: subscription.walletText,
    },
    suppressed: suppressedReason === null || at === null ? null : { reason: suppressedReason, at },
    emailConfirmedAt: timestampOrNull(emailConfirmedAt),
    language,
  };
}
