import type { Step } from "../base/concurrency/step.js";
import { notFound, validationFailed } from "../base/errors.js";
import { parse } from "../base/parse.js";
import { foldEmail } from "../base/values/email.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import type { Change } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import {
  type AddressBounce,
  addressBounceSchema,
  type Bounce,
  type BounceKind,
  bounceSchema,
  type MessageDelivery,
  toMessageDelivery,
} from "./delivery-schema.js";
import { DeliveryTally } from "./delivery-tally.js";
import { applyBounce, applySoftBounce, findLastAttemptTime } from "./mail-outcome.js";
import { readSubscription, saveSubscription, suppressAddress, unsubscribe } from "./subscription-state.js";

/** The kinds of emails that are only about a pass. */
const passMailKinds: readonly StoredMessageDelivery["kind"][] = ["pass", "link"];

/** Reads individual deliveries of emails and messages, and records bounces. */
export class MessageDeliveries extends UseCases {
  /**
   * Returns a delivery.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `message:read`. For an email about a pass,
   *   `pass:read` is enough.
   */
  async get(messageDeliveryId: string): Promise<MessageDelivery> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const delivery = await tenant.read((reader) => findDelivery(reader, organizationId, messageDeliveryId));
    if (!passMailKinds.includes(delivery.kind)) tenant.require(["message:read"]);
    return toMessageDelivery(delivery);
  }

  /**
   * Records a bounce for an email. The bounce can arrive even before the mail server has accepted the email. A hard bounce or a
   * complaint suppresses the address until it changes, and a complaint also unsubscribes the customer from email. A soft bounce is
   * only recorded.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`, including on `channel` if the delivery isn't an email; or
   *   `access_denied` if the caller lacks `message:send`.
   */
  async bounce(messageDeliveryId: string, input: Bounce & IdempotencyOptions): Promise<void> {
    const { tenant } = this;
    const { kind } = parse(bounceSchema, input);
    const { organizationId } = tenant;
    const request = ["messageDeliveries.bounce", messageDeliveryId, input] as const;
    await tenant.change(request, function* (change) {
      const { tx } = change;
      const before = yield* findDelivery(tx, organizationId, messageDeliveryId);
      if (before.channel !== "email") throw validationFailed({ channel: "must be email" });
      const now = tenant.now();
      if (kind === "soft") {
        // An email that was never sent can't bounce.
        if (before.status === "SKIPPED") return;
        yield* tx.updateMessageDeliveries([applySoftBounce(before, now)]);
        return;
      }
      const after = applyBounce(before, toSuppressionReason(kind), now);
      if (after !== before) {
        yield* tx.updateMessageDeliveries([after]);
        const changes = new DeliveryTally(now);
        changes.record(before, after);
        yield* changes.write(change);
      }
      const user = yield* tx.findUser(before.userId);
      if (user !== null) yield* suppress(change, user.id, kind, before);
    });
  }

  /**
   * Records a bounce for an address, with the same effects as {@link bounce}. The result doesn't reveal whether the address belongs
   * to a customer.
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `message:send`.
   */
  async bounceAddress(input: AddressBounce & IdempotencyOptions): Promise<void> {
    const { tenant } = this;
    const { email, kind } = parse(addressBounceSchema, input);
    await tenant.change(["messageDeliveries.bounceAddress", input], function* (change) {
      const { tx } = change;
      if (kind === "soft") return;
      const user = yield* tx.findUserByEmail(foldEmail(email));
      if (user === null || !(yield* suppress(change, user.id, kind))) return;
      yield* recordAuditEntry(tx, tenant, { action: "address.bounced", target: user.id, details: { kind } });
    });
  }
}

type PermanentBounceKind = Exclude<BounceKind, "soft">;

function toSuppressionReason(kind: PermanentBounceKind): "bounced" | "complained" {
  return kind === "hard" ? "bounced" : "complained";
}

/**
 * Suppresses a customer's address after a bounce.
 * @param delivery the bounced email, if it is known.
 * @returns `false` if nothing changes.
 */
function* suppress(
  change: Change,
  userId: string,
  kind: PermanentBounceKind,
  delivery: StoredMessageDelivery | null = null,
): Step<boolean> {
  const { tx, tenant } = change;
  const now = tenant.now();
  const before = yield* readSubscription(tx, userId);
  if (delivery !== null && wentToPreviousAddress(delivery, before)) return false;
  const after = suppressAddress(before, toSuppressionReason(kind), now);
  const endedSubscription = kind === "complaint" ? unsubscribe(after, "email", "bounce", now) : after;
  yield* saveSubscription(change, before, endedSubscription);
  return endedSubscription !== before;
}

/** Returns whether an email went to a previous address of the customer. */
function wentToPreviousAddress(
  delivery: StoredMessageDelivery,
  { addressSince }: StoredSubscription,
): boolean {
  return addressSince !== null && (findLastAttemptTime(delivery) ?? delivery.createdAt) < addressSince;
}

/** @throws {LoyaltyError} `resource_not_found`. */
function* findDelivery(
  reader: StorageReader,
  organizationId: string,
  id: string,
): Step<StoredMessageDelivery> {
  const delivery = isStorable(id) ? yield* reader.findMessageDelivery(id) : null;
  if (delivery === null) throw notFound("message_delivery", id, organizationId);
  return delivery;
}
