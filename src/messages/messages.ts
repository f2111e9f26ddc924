import { yieldIfDue } from "../base/concurrency/event-loop.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { createLoyaltyError } from "../base/errors.js";
import { type Page, pageOf } from "../base/page.js";
import { parse } from "../base/parse.js";
import { HOUR_MS, timestamp } from "../base/values/clock.js";
import { findUser } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import { applyPatch, type Patch } from "../kernel/patch.js";
import { UseCases } from "../kernel/use-cases.js";
import { messageJobs, type StoredMessage } from "../storage/messages.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { assertAudienceAllowed, encodeAudience } from "./audience.js";
import {
  type MessageDelivery,
  type MessageDeliveryListQuery,
  messageDeliveryQuerySchema,
  toMessageDelivery,
} from "./delivery-schema.js";
import {
  assertNoErrors,
  type FieldErrors,
  findDraftErrors,
  findMissingTexts,
  findTimeErrors,
} from "./draft-validation.js";
import { previewMessage } from "./message-preview.js";
import {
  cancelMessage,
  findMessage,
  requireChannels,
  requireDraft,
  requireNotStarted,
  requireTemplate,
  scheduleDraft,
  signalMessageWork,
} from "./message-sending.js";
import { signalMailWork } from "./pass-mail.js";
import {
  type CreateMessage,
  decodeAudience,
  listMessageScopes,
  type Message,
  type MessageListQuery,
  type MessagePreview,
  messageQuerySchema,
  parseMessageUpdate,
  parseNewMessage,
  type TestMessage,
  testMessageSchema,
  toMessage,
  type UpdateMessage,
} from "./schema.js";
import { queueTest, removeTestsFromCards } from "./test-delivery.js";

/** Manages an organization's messages, which customers receive by email or on their cards. */
export class Messages extends UseCases {
  /**
   * Creates a draft. Customers receive nothing until it is sent.
   * @param input the draft's fields. Its audience can list users by service ID or external ID.
   * @throws {LoyaltyError} `validation_failed`; `resource_not_found` for the template or a user in the audience;
   *   `too_many_messages`; or `access_denied` if the caller lacks `message:send`, a scope for data that the audience's filter uses,
   *   or `user:read` if the audience lists users.
   */
  async create(input: CreateMessage & IdempotencyOptions): Promise<Message> {
    const { tenant } = this;
    tenant.require(listMessageScopes(input));
    const { audience, ...fields } = parseNewMessage(input);
    const now = tenant.now();
    const timeErrors = findPastError(fields, now);
    assertNoErrors({ ...findDraftErrors(fields), ...(timeErrors ?? findTimeErrors(fields, now)) });
    const { organizationId } = tenant;
    return tenant.change(["messages.create", input], function* ({ tx }) {
      const encodedAudience = yield* encodeAudience(tenant, tx, audience);
      yield* requireTemplate(tx, organizationId, fields.templateId);
      const createdAt = tenant.now();
      const message: StoredMessage = {
        id: tenant.newId("msg"),
        ...unsentFields,
        ...fields,
        audience: encodedAudience,
        createdAt,
        updatedAt: createdAt,
      };
      yield* assertBelowLimit(tx, tenant, "messages");
      yield* tx.insertMessage(message);
      return toMessage(message);
    });
  }

  /**
   * Lists one page of messages, newest first. A page has at most 50 messages.
   * @throws {LoyaltyError} `validation_failed`, `storage_unavailable` if too many of the organization's costly reads are waiting,
   *   or `access_denied` if the caller lacks `message:read`.
   */
  async list(query: MessageListQuery = {}): Promise<Page<Message>> {
    const { status = null, page, size } = parse(messageQuerySchema, query);
    return this.tenant.read(function* (reader) {
      const { items, total } = yield* reader.listMessages({ status, page, size });
      const content: Message[] = [];
      for (const message of items) {
        content.push(toMessage(message));
        yield* yieldIfDue();
      }
      return pageOf(content, total, { page, size });
    }, true);
  }

  /**
   * Returns a message.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `message:read`.
   */
  async get(messageId: string): Promise<Message> {
    const { reader, organizationId } = this.tenant;
    return toMessage(await runStep(findMessage(reader, organizationId, messageId)));
  }

  /**
   * Changes only the given fields of a draft. If nothing changes, `updatedAt` stays the same.
   * @throws {LoyaltyError} `resource_not_found` for the message, the template, or a user in the audience; `validation_failed`;
   *   `message_not_draft`; or `access_denied` in the same cases as {@link create}, for both the existing and the new audience.
   */
  async update(messageId: string, input: UpdateMessage & IdempotencyOptions): Promise<Message> {
    const { tenant } = this;
    tenant.require(listMessageScopes(input));
    const { audience, ...fields } = parseMessageUpdate(input);
    assertNoErrors(findPastError(fields, tenant.now()) ?? {});
    const { organizationId } = tenant;
    return tenant.change(["messages.update", messageId, input], function* ({ tx }) {
      const before = yield* findMessage(tx, organizationId, messageId);
      yield* assertAudienceAllowed(tenant, tx, decodeAudience(before));
      const now = tenant.now();
      const encodedAudience =
        audience === undefined ? undefined : yield* encodeAudience(tenant, tx, audience);
      const after = applyPatch(
        before,
        { ...omitUnchangedLists(before, fields), audience: encodedAudience },
        now,
      );
      if (after.templateId !== before.templateId)
        yield* requireTemplate(tx, organizationId, after.templateId);
      requireDraft(before);
      if (after === before) return toMessage(before);
      assertNoErrors({ ...findDraftErrors(after), ...(hasTimeChange(fields) && findTimeErrors(after, now)) });
      yield* tx.updateMessage(after);
      return toMessage(after);
    });
  }

  /**
   * Deletes a draft.
   * @throws {LoyaltyError} `resource_not_found`, `message_not_draft`, or `access_denied` if the caller lacks `message:send`.
   */
  async delete(messageId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    const { organizationId } = tenant;
    await tenant.change(["messages.delete", messageId, options], function* (change) {
      const { tx } = change;
      requireDraft(yield* findMessage(tx, organizationId, messageId));
      yield* removeTestsFromCards(change, messageId);
      yield* tx.deleteMessage(messageId);
    });
  }

  /**
   * Lists one page of the deliveries that have been created for a message, newest first.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, `storage_unavailable` if too many of the organization's
   *   costly reads are waiting, or `access_denied` if the caller lacks `message:read`.
   */
  async deliveries(messageId: string, query: MessageDeliveryListQuery = {}): Promise<Page<MessageDelivery>> {
    const { status = null, page, size } = parse(messageDeliveryQuerySchema, query);
    const { organizationId } = this.tenant;
    const deliveryPage = await this.tenant.read(function* (reader) {
      yield* findMessage(reader, organizationId, messageId);
      return yield* reader.messageDeliveriesOf({ messageId }, { status, page, size });
    }, true);
    return pageOf(deliveryPage.items.map(toMessageDelivery), deliveryPage.total, { page, size });
  }

  /**
   * Determines what would happen if a message that hasn't started were sent now.
   * @throws {LoyaltyError} `resource_not_found`, `message_not_draft`, `validation_failed` if a text lacks a part that a channel
   *   needs, `storage_unavailable` if too many of the organization's costly reads are waiting, or `access_denied` if the caller
   *   lacks `message:read` or a scope that {@link create} requires for the audience.
   */
  async preview(messageId: string): Promise<MessagePreview> {
    const { tenant } = this;
    return tenant.read(function* (reader) {
      const message = yield* findMessage(reader, tenant.organizationId, messageId);
      yield* assertAudienceAllowed(tenant, reader, decodeAudience(message));
      requireNotStarted(message);
      assertNoErrors(findMissingTexts(message));
      return yield* previewMessage(tenant, reader, message);
    }, true);
  }

  /**
   * Sends a message that hasn't started to one customer as a test, regardless of their consent. Uses the first of the message's
   * channels that reaches the customer. An organization can send at most ten tests per hour.
   * @returns the delivery, which is skipped if no channel reaches the customer.
   * @throws {LoyaltyError} `resource_not_found` for the message or the user; `message_not_draft`; `validation_failed`, including if
   *   a text lacks a part that a channel needs; `mail_not_configured`; `wallets_not_configured`; `message_tested_recently`; or
   *   `access_denied` if the caller lacks `message:send`.
   */
  async test(messageId: string, input: TestMessage & IdempotencyOptions): Promise<MessageDelivery> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { userId } = parse(testMessageSchema, input);
    const delivery = await tenant.change(["messages.test", messageId, input], function* (change) {
      const { tx } = change;
      const message = yield* findMessage(tx, organizationId, messageId);
      const user = yield* findUser(tx, organizationId, userId);
      yield* requireTemplate(tx, organizationId, message.templateId);
      requireNotStarted(message);
      assertNoErrors(findMissingTexts(message));
      requireChannels(tenant, message);
      yield* recordTest(tx, tenant.now());
      return toMessageDelivery(yield* queueTest(change, message, user));
    });
    signalMailWork(tenant);
    signalMessageWork(tenant);
    return delivery;
  }

  /**
   * Schedules a draft to be sent at its `sendAt`, or sends it now if `sendAt` isn't set. The audience is evaluated when sending
   * begins.
   * @throws {LoyaltyError} `resource_not_found` for the message or its template; `message_not_draft`; `validation_failed` if a
   *   text lacks a part that a channel needs, or if a time is in the past; `mail_not_configured`; `wallets_not_configured`;
   *   `too_many_messages`; or `access_denied` in the same cases as {@link create}.
   */
  async send(messageId: string, options: IdempotencyOptions = {}): Promise<Message> {
    const { tenant } = this;
    const message = await tenant.change(["messages.send", messageId, options], function* ({ tx }) {
      return toMessage(
        yield* scheduleDraft(tenant, tx, yield* findMessage(tx, tenant.organizationId, messageId)),
      );
    });
    signalMessageWork(tenant);
    return message;
  }

  /**
   * Cancels a message that hasn't ended, and removes it from cards. Emails that are already being sent might still arrive.
   * @throws {LoyaltyError} `resource_not_found`, `message_ended`, or `access_denied` if the caller lacks `message:send`.
   */
  async cancel(messageId: string, options: IdempotencyOptions = {}): Promise<Message> {
    const { tenant } = this;
    const message = await tenant.change(["messages.cancel", messageId, options], function* (change) {
      const { tx } = change;
      const before = yield* findMessage(tx, tenant.organizationId, messageId);
      return toMessage(yield* cancelMessage(change, before));
    });
    signalMessageWork(tenant);
    return message;
  }
}

const TIME_FIELDS = ["channels", "sendAt", "expiresAt", "showUntil"] as const;

/** The given fields of a draft, in their stored form. */
type DraftFields = Omit<Patch<StoredMessage>, "audience">;

/**
 * Returns whether the given fields affect the message's times, so that the times must be validated. A draft whose times have passed
 * can still be changed in other ways.
 */
function hasTimeChange(fields: DraftFields): boolean {
  return TIME_FIELDS.some((name) => fields[name] !== undefined);
}

function findPastError({ sendAt = null }: Pick<DraftFields, "sendAt">, now: number): FieldErrors | null {
  return sendAt !== null && sendAt < now ? { sendAt: "must not be in the past" } : null;
}

/** Returns the given fields without lists that are unchanged. */
function omitUnchangedLists(before: StoredMessage, fields: DraftFields): DraftFields {
  const { channels, texts, ...otherFields } = fields;
  return {
    ...otherFields,
    ...(!isEqual(channels, before.channels) && { channels }),
    ...(!isEqual(texts, before.texts) && { texts }),
  };
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The values of these fields before a message is sent. */
const unsentFields = {
  status: "DRAFT",
  startedAt: null,
  completedAt: null,
  endsAt: null,
  shownUntil: null,
  customers: 0,
  recipients: 0,
  pending: 0,
  sending: 0,
  accepted: 0,
  failed: 0,
  skipped: "{}",
  uncertain: 0,
  cursor: 0,
  isSettled: false,
} as const satisfies Partial<StoredMessage>;

/** Maximum number of test messages per organization and hour, because tests could be abused to email strangers. */
const MAX_TESTS_PER_HOUR = 10;

/**
 * Counts a test toward the organization's hourly limit, in the caller's transaction.
 * @throws {LoyaltyError} `message_tested_recently` if the limit is reached.
 */
function* recordTest(tx: StorageTransaction, now: number): Step<void> {
  const queue = yield* tx.lockQueue(messageJobs);
  const recentTimes = (queue?.testTimes ?? [])
    .filter((time) => time > now - HOUR_MS)
    .slice(-MAX_TESTS_PER_HOUR);
  const [oldest] = recentTimes;
  if (oldest !== undefined && recentTimes.length === MAX_TESTS_PER_HOUR)
    throw createLoyaltyError("message_tested_recently", [timestamp(oldest + HOUR_MS)]);
  const testTimes = [...recentTimes, now];
  if (queue === null) yield* tx.insertQueue(messageJobs, { testTimes, createdAt: now });
  else yield* tx.updateQueue(messageJobs, { ...queue, testTimes });
}
