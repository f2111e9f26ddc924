import * as z from "zod";
import { instantText } from "../base/fields/instant.js";
import { limitedList } from "../base/fields/limited-list.js";
import { singleLineName, text, wireTimestamp } from "../base/fields/text.js";
import { listQueryTo, wirePage } from "../base/page.js";
import { onAnyObject, parse, parseNew, requireExactlyOne } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { timesOf, timestampOrNull } from "../base/values/clock.js";
import { isSecureOrLocal, parseLink } from "../base/values/url.js";
import {
  listLeafScopes,
  parseFilterOrNull,
  type SegmentFilter,
  segmentFilterSchema,
} from "../segments/filter-schema.js";
import { messageDeliveryReasons } from "../storage/mail.js";
import { messageOrders, messageStatuses, type StoredMessage } from "../storage/messages.js";
import { messageChannels } from "../storage/subscriptions.js";
import { createRejectingSchema, readProperty } from "../tags/tag-filter-schema.js";
import { messageChannel } from "./subscription-schema.js";
import { messageTexts, wireMessageText } from "./text-schema.js";

const MAX_USER_IDS = 10_000;
const MAX_LINK_LENGTH = 2_000;

const status = z.enum(messageStatuses);
const order = z.enum(messageOrders);
const everybodySchema = z
  .boolean()
  .refine((all) => all, { error: "must be true" })
  .meta({ const: true });

/**
 * Builds the schema for a message's audience, which has exactly one key. Unknown keys are rejected, so that a typo never widens the
 * audience.
 */
function buildAudienceSchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return z
    .strictObject({
      all: everybodySchema.optional(),
      filter: filter.optional(),
      segment: text().optional(),
      userIds: limitedList(text(), MAX_USER_IDS).optional(),
    })
    .refine((audience) => Object.values(audience).filter((value) => value !== undefined).length === 1, {
      error: "must have exactly one of all, filter, segment and userIds",
      ...onAnyObject,
    })
    .meta(requireExactlyOne("all", "filter", "segment", "userIds"));
}

const channels = limitedList(messageChannel, messageChannels.length).superRefine((list, context) => {
  if (new Set(list).size === list.length) return;
  context.addIssue({ code: "custom", path: [1], message: "is given twice" });
});

const link = text(MAX_LINK_LENGTH)
  .refine(isLink, { error: "must be an https: URL" })
  .meta({ maxLength: MAX_LINK_LENGTH, format: "uri" });

/** Returns whether a string is a complete URL, because the link is copied into emails unchanged. */
function isLink(value: string): boolean {
  const url = parseLink(value);
  return url !== null && isSecureOrLocal(url);
}

/** A timestamp that is parsed to milliseconds since the Unix epoch. */
const time = instantText.transform((value) => Date.parse(value)).nullable();

const fields = {
  name: singleLineName(150),
  templateId: text().nullable(),
  channels,
  order,
  texts: messageTexts,
  link: link.nullable(),
  sendAt: time,
  expiresAt: time,
  showUntil: time,
  respectsCap: z.boolean(),
};

/** The schemas for a message's content fields. A message's name, audience, and times aren't part of its content. */
export const messageContent = {
  templateId: fields.templateId.default(null),
  channels,
  order: order.default("each"),
  texts: messageTexts,
  link: fields.link.default(null),
  respectsCap: fields.respectsCap.default(true),
};

function buildCreateSchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return z.object({
    name: fields.name,
    audience: buildAudienceSchema(filter),
    ...messageContent,
    sendAt: time.default(null),
    expiresAt: time.default(null),
    showUntil: time.default(null),
  });
}

function buildUpdateSchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return z.object({ ...fields, audience: buildAudienceSchema(filter) }).partial();
}

export const createMessageSchema = buildCreateSchema(segmentFilterSchema).meta({ id: "CreateMessage" });

/**
 * A new message. Until it is sent, its texts can lack parts that its channels need (`subject` and `text` for email, `wallet` for
 * cards). In the texts, `{name}` stands for the customer's name. `{card}`, `{stamps}`, `{toGo}`, `{rewards}`, and `{points}` refer
 * to the customer's oldest card for `templateId`, which is required for messages to wallets. The message is sent at `sendAt`
 * (default: immediately) but not after `expiresAt` (default: 24 hours later, at most 30 days). Cards show it until `showUntil`
 * (default: 7 days, at most 30).
 */
export type CreateMessage = z.input<typeof createMessageSchema>;

export const updateMessageSchema = buildUpdateSchema(segmentFilterSchema).meta({ id: "UpdateMessage" });

/** Changes to a draft. Only the given fields change. `null` clears the template, the link, or a time. */
export type UpdateMessage = z.input<typeof updateMessageSchema>;

/**
 * Validates the input for a new message. A filter that is too large is reported together with errors in other fields.
 * @throws {LoyaltyError} `malformed_request`, `wrong_param_type`, or `validation_failed`.
 */
export function parseNewMessage(input: unknown): z.output<typeof createMessageSchema> {
  const filter = findFilterErrorSchema(input);
  return parseNew(filter === null ? createMessageSchema : buildCreateSchema(filter), input);
}

/**
 * Validates changes to a message. A filter that is too large is reported together with errors in other fields.
 * @throws {LoyaltyError} `malformed_request`, `wrong_param_type`, or `validation_failed`.
 */
export function parseMessageUpdate(input: unknown): z.output<typeof updateMessageSchema> {
  const filter = findFilterErrorSchema(input);
  return parse(filter === null ? updateMessageSchema : buildUpdateSchema(filter), input);
}

function findFilterErrorSchema(input: unknown): z.ZodType<SegmentFilter, SegmentFilter> | null {
  return createRejectingSchema(readProperty(readProperty(input, "audience"), "filter"));
}

/**
 * Returns the scopes that a caller needs to select an audience by filter or by user IDs. Doesn't include the scopes for segments
 * that the filter refers to.
 */
export function listAudienceScopes({
  filter,
  segment,
  userIds,
}: {
  readonly filter?: SegmentFilter | undefined;
  readonly segment?: unknown;
  readonly userIds?: unknown;
}): readonly Scope[] {
  if (filter !== undefined) return listLeafScopes(filter);
  if (segment !== undefined) return ["segment:read"];
  return userIds === undefined ? [] : ["user:read"];
}

/**
 * Returns the scopes that a message's audience requires. The input hasn't been validated yet, so malformed parts are ignored here
 * and rejected later.
 */
export function listMessageScopes(input: unknown): readonly Scope[] {
  const audience = readProperty(input, "audience");
  const filter = parseFilterOrNull(readProperty(audience, "filter")) ?? undefined;
  return listAudienceScopes({
    filter,
    segment: readProperty(audience, "segment"),
    userIds: readProperty(audience, "userIds"),
  });
}

const audienceSchema = z
  .union([
    z.object({ all: z.literal(true) }),
    z.object({ filter: segmentFilterSchema }),
    z.object({ segment: z.string() }),
    z.object({ userIds: z.array(z.string()) }),
  ])
  .meta({ id: "MessageAudience" });

/**
 * A message's audience: all customers, the customers who match a filter, the members of a saved segment, or individual users by
 * service ID.
 */
export type MessageAudience = z.output<typeof audienceSchema>;

const count = z.int().min(0);
const skippedSchema = z.partialRecord(z.enum(messageDeliveryReasons), count);

const sumsSchema = z
  .object({
    recipients: count,
    customers: count,
    pending: count,
    sending: count,
    accepted: count,
    failed: count,
    skipped: skippedSchema,
    uncertain: count,
  })
  .meta({ id: "MessageSums" });

/**
 * A message's progress, counted in deliveries. A message has one delivery per customer and channel. `recipients` always equals the
 * sum of `pending`, `sending`, `accepted`, `failed`, and all counts in `skipped`. `customers` is the number of customers in the
 * audience. `uncertain` counts deliveries that might have arrived even though the server's reply was lost.
 */
export type MessageSums = z.output<typeof sumsSchema>;

/** The response schemas for the fields in {@link messageContent}. */
export const wireMessageContent = {
  templateId: z.string().nullable(),
  channels: z.array(messageChannel),
  order,
  texts: z.array(wireMessageText),
  link: z.string().nullable(),
  respectsCap: z.boolean(),
};

export const messageSchema = z
  .object({
    id: z.string(),
    object: z.literal("message"),
    name: z.string(),
    status,
    audience: audienceSchema,
    templateId: z.string().nullable(),
    channels: z.array(messageChannel),
    order,
    texts: z.array(wireMessageText),
    link: z.string().nullable(),
    sendAt: wireTimestamp.nullable(),
    expiresAt: wireTimestamp.nullable(),
    showUntil: wireTimestamp.nullable(),
    respectsCap: z.boolean(),
    sums: sumsSchema.nullable(),
    startedAt: wireTimestamp.nullable(),
    completedAt: wireTimestamp.nullable(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "Message" });

/**
 * A message from an organization to its customers. `sums` is `null` until sending begins, and all zeros if the message expires
 * before then. In a draft, only explicitly set times are present. The default for `expiresAt` is filled in when the message is
 * sent, and the default for `showUntil` when sending begins.
 */
export type Message = z.output<typeof messageSchema>;

export const messageProgressSchema = messageSchema.omit({ texts: true }).meta({ id: "MessageProgress" });

/** The data in message events: the message without its texts. */
export type MessageProgress = z.output<typeof messageProgressSchema>;

export const messagePageSchema = wirePage(messageSchema).meta({ id: "MessagePage" });

/** Maximum page size. It is small because a message can have up to a megabyte of texts and user IDs. */
const MAX_PAGE_SIZE = 50;

export const messageQuerySchema = z.object({ ...listQueryTo(MAX_PAGE_SIZE), status: status.optional() });

export type MessageListQuery = z.input<typeof messageQuerySchema>;

export const testMessageSchema = z.object({ userId: text() }).meta({ id: "TestMessage" });

/** The input for sending a test message. `userId` is the service ID or external ID of the customer who receives it. */
export type TestMessage = z.input<typeof testMessageSchema>;

export const messagePreviewSchema = z
  .object({
    recipients: count,
    customers: count,
    byChannel: z.object({ email: count, wallet: count }),
    skipped: skippedSchema,
    languages: z.record(z.string(), count),
    seconds: z.object({ email: count, apple: count, google: count }),
  })
  .meta({ id: "MessagePreview" });

/**
 * What would happen if a message were sent now. `recipients` is the total number of deliveries. `byChannel` counts the deliveries
 * that would be sent, and `skipped` counts the rest by the first reason that applies. `languages` is the number of customers who
 * would receive each text. `seconds` is the estimated duration of sending.
 */
export type MessagePreview = z.output<typeof messagePreviewSchema>;

export function toMessage(message: StoredMessage): Message {
  const { id, name, status, templateId, channels, order, texts, link, respectsCap, startedAt } = message;
  return {
    id,
    object: "message",
    name,
    status,
    audience: decodeAudience(message),
    templateId,
    channels: [...channels],
    order,
    texts: [...texts],
    link,
    sendAt: timestampOrNull(message.sendAt),
    expiresAt: timestampOrNull(message.endsAt ?? message.expiresAt),
    showUntil: timestampOrNull(message.shownUntil ?? message.showUntil),
    respectsCap,
    sums: startedAt === null && status !== "EXPIRED" ? null : toMessageSums(message),
    startedAt: timestampOrNull(startedAt),
    completedAt: timestampOrNull(message.completedAt),
    ...timesOf(message),
  };
}

export function toMessageProgress(message: StoredMessage): MessageProgress {
  const { texts: _, ...progress } = toMessage(message);
  return progress;
}

export function decodeAudience({ audience }: Pick<StoredMessage, "audience">): MessageAudience {
  return JSON.parse(audience);
}

function toMessageSums(message: StoredMessage): MessageSums {
  const { recipients, customers, pending, sending, accepted, failed, uncertain } = message;
  return {
    recipients,
    customers,
    pending,
    sending,
    accepted,
    failed,
    skipped: JSON.parse(message.skipped),
    uncertain,
  };
}
