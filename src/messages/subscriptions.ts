import type * as z from "zod";
import { createLoyaltyError, validationFailed } from "../base/errors.js";
import { parse } from "../base/parse.js";
import { findUser } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { UseCases } from "../kernel/use-cases.js";
import type { SubscriptionSource } from "../storage/subscriptions.js";
import {
  type MessageChannel,
  type PutChannel,
  type PutSubscription,
  putSubscriptionSchema,
  type Subscription,
  toSubscription,
} from "./subscription-schema.js";
import {
  type ChannelState,
  channels,
  getChannelState,
  isCustomerInitiated,
  readSubscription,
  saveSubscription,
  withChannel,
} from "./subscription-state.js";

/** Manages customers' consent to receive messages. A customer who has a card hasn't necessarily given consent. */
export class Subscriptions extends UseCases {
  /**
   * Returns a customer's subscription.
   * @param userId the user's service ID or external ID.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `user:read`.
   */
  async get(userId: string): Promise<Subscription> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.read(function* (reader) {
      const user = yield* findUser(reader, organizationId, userId);
      yield* tenant.assertOwn(reader, user.id, "user", userId);
      return toSubscription(yield* readSubscription(reader, user.id));
    });
  }

  /**
   * Records or withdraws a customer's consent for each given channel. Omitted channels don't change. Giving consent requires the
   * `text` that the customer agreed to. Repeated calls have no effect and emit no event.
   * @param userId the user's service ID or external ID.
   * @param input the channels to change. `at` must not be in the future (default: now).
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, `customer_unsubscribed` if `at` isn't later than the time
   *   when the customer unsubscribed themselves, or `access_denied` if the caller lacks `user:update`.
   */
  async put(userId: string, input: PutSubscription & IdempotencyOptions): Promise<Subscription> {
    const { tenant } = this;
    const fields = parse(putSubscriptionSchema, input);
    assertNotInFuture(fields, tenant.now());
    const { organizationId } = tenant;
    const source = tenant.isOfUser ? "customer" : "api";
    return tenant.change(["subscriptions.put", userId, input], function* (change) {
      const { tx } = change;
      const user = yield* findUser(tx, organizationId, userId);
      yield* tenant.assertOwn(tx, user.id, "user", userId);
      const before = yield* readSubscription(tx, user.id);
      const now = tenant.now();
      let after = before;
      for (const channel of channels) {
        const channelInput = fields[channel];
        if (channelInput === undefined) continue;
        const state = getChannelState(before, channel);
        const newState = applyChannelInput(state, channelInput, { source, now });
        if (newState !== state) after = withChannel(after, channel, newState);
      }
      const { language } = fields;
      if (language !== undefined && language !== before.language) after = { ...after, language };
      yield* saveSubscription(change, before, after);
      return toSubscription(after);
    });
  }
}

/** @throws {LoyaltyError} `validation_failed` for each time in the future. */
function assertNotInFuture(
  input: Pick<z.output<typeof putSubscriptionSchema>, MessageChannel>,
  now: number,
): void {
  const futureChannels = channels.filter((channel) => Date.parse(input[channel]?.at ?? "") > now);
  if (futureChannels.length === 0) return;
  throw validationFailed(
    Object.fromEntries(futureChannels.map((channel) => [`${channel}.at`, "must not be in the future"])),
  );
}

interface ChangeSource {
  readonly source: SubscriptionSource;
  readonly now: number;
}

/**
 * Returns a channel's state after a caller's update, or the same object if nothing changes.
 * @throws {LoyaltyError} `customer_unsubscribed`.
 */
function applyChannelInput(
  before: ChannelState,
  change: PutChannel,
  { source, now }: ChangeSource,
): ChannelState {
  const { status } = change;
  const text = change.text ?? null;
  const consentTime = change.at === undefined ? null : Date.parse(change.at);
  // If the customer is already unsubscribed, only a withdrawal by the customer themselves changes anything.
  if (status === "UNSUBSCRIBED" && before.status === status) {
    return source === "customer" && !isCustomerInitiated(before)
      ? { status, at: consentTime ?? now, source, text }
      : before;
  }
  if (
    status === "SUBSCRIBED" &&
    isCustomerInitiated(before) &&
    (consentTime === null || consentTime <= (before.at ?? 0))
  )
    throw createLoyaltyError("customer_unsubscribed");
  const isSame =
    status === before.status && text === before.text && (consentTime === null || consentTime === before.at);
  return isSame ? before : { status, at: consentTime ?? now, source, text };
}
