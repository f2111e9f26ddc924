import { resolveActor } from "../access/actor-schema.js";
import { runStep, type Step, succeedStep } from "../base/concurrency/step.js";
import { type Clock, MINUTE_MS } from "../base/values/clock.js";
import { createClaim } from "../kernel/engine.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import { runCostlyRead } from "../kernel/queues.js";
import type { BackendParts, Change, Tenant } from "../kernel/tenant.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import { messageJobs, type StoredMessage } from "../storage/messages.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { WalletPlatform } from "../storage/wallets.js";
import { isCostlyAudience, readAudience } from "./audience.js";
import { DeliveryTally, saveMessage } from "./delivery-tally.js";
import { withEndStatus } from "./mail-outcome.js";
import { type MessageContext, RECHECK_DELAY_MS, readSendingSettings } from "./message-context.js";
import { endDeliveries, removeFromCards } from "./message-end.js";
import { MESSAGE_LANE, scheduleMessage } from "./message-sending.js";
import { createInitialSums, withSums } from "./message-sums.js";
import { computeMessageEnd, computeShownUntil } from "./message-times.js";
import { countDeliveriesPerMember } from "./recipients.js";
import { toMessageProgress } from "./schema.js";
import { sendBatch } from "./send-batch.js";
import { findWaitingCards, releaseWaitingCards } from "./wallet-deliveries.js";

const workerActor = resolveActor({ kind: "worker" });

/** How long a message waits after a failure, in milliseconds, while other messages proceed. */
const RETRY_DELAY_MS = MINUTE_MS;

/** Processes messages by creating and ending their deliveries. The mail and wallet workers do the actual sending. */
export class MessageBackend {
  readonly clock: Clock;

  constructor(
    private readonly engine: Pick<
      BackendParts,
      "storage" | "clock" | "uuid" | "changes" | "channels" | "delivery" | "openTenant"
    >,
    readonly onError: ErrorListener,
  ) {
    this.clock = engine.clock;
  }

  /** Returns the IDs of at most `limit` organizations that have due message jobs, longest-waiting first. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.all.queuesWithDueJobs(messageJobs, this.clock(), limit));
  }

  /**
   * Registers a listener for commits in this process that create message jobs.
   * @returns a function that removes the listener.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    return this.engine.channels.messages.onWork(listener);
  }

  /**
   * Performs the next due step for one of an organization's messages, in a single transaction. A step starts a message, creates
   * deliveries for a batch of its audience, or ends some of its deliveries. Messages take turns. A large audience is evaluated
   * before the transaction that starts its message, so other changes don't have to wait for the evaluation.
   * @returns `false` if nothing was due.
   */
  async advance(organizationId: string): Promise<boolean> {
    const { engine } = this;
    const tenant = this.tenant(organizationId);
    let messageId: string | null = null;
    try {
      const outcome = await tenant.change(["messages.advance"], function* (change) {
        const { tx } = change;
        if ((yield* tx.lockQueue(messageJobs)) === null) return "nothing";
        const claim = createClaim(engine, 1);
        const [job] = yield* tx.claimJobs(messageJobs, MESSAGE_LANE, claim);
        if (job === undefined) return "nothing";
        messageId = job.messageId;
        const { lease, now } = claim;
        const message = yield* tx.findMessage(job.messageId);
        const context = { ...change, now };
        const nextAttemptAt = message === null ? null : yield* advanceMessage(context, message);
        // The job stays claimed while the audience is evaluated; if the claim expires, another process may begin the message.
        if (nextAttemptAt === "audience") return message ?? "nothing";
        const result = { subject: job.messageId, revision: job.revision, nextAttemptAt };
        yield* tx.recordResults(messageJobs, MESSAGE_LANE, lease, [result], now);
        return "all";
      });
      if (outcome === "nothing") return false;
      if (outcome !== "all") await this.startWithAudience(tenant, outcome);
      this.signalOtherWorkers(organizationId);
      return true;
    } catch (error) {
      if (messageId !== null) await this.postpone(organizationId, messageId).catch(this.onError);
      throw error;
    }
  }

  /**
   * Evaluates a message's audience, queued with other costly reads, and begins the message unless it was canceled or begun by then.
   * Customers deleted during the evaluation are left out.
   */
  private async startWithAudience(tenant: Tenant, message: StoredMessage): Promise<void> {
    const { organizationId, engine } = tenant;
    const { id, audience } = message;
    const evaluatedAudience = await runCostlyRead(engine, organizationId, (reader) =>
      readAudience(reader, organizationId, message, tenant.now()),
    );
    await tenant.change(["messages.begin"], function* (change) {
      const { tx } = change;
      yield* tx.lockQueue(messageJobs);
      const before = yield* tx.findMessage(id);
      if (before?.status !== "SCHEDULED" || before.audience !== audience) return;
      const now = tenant.now();
      const next = yield* advanceMessage({ ...change, now }, before, evaluatedAudience);
      if (typeof next === "number") yield* scheduleMessage(tx, id, next, now);
    });
  }

  /**
   * Records that a wallet has received the card that shows a delivery's message. Has no effect if the delivery has already ended,
   * for example because of an earlier call.
   * @param isSilent whether the wallet showed the message without notifying the customer.
   */
  async walletAccepted(
    organizationId: string,
    deliveryId: string,
    platform: WalletPlatform,
    isSilent: boolean,
  ): Promise<void> {
    await this.endCardDelivery(organizationId, deliveryId, (_, before, now) =>
      succeedStep({ ...withEndStatus(before, "ACCEPTED", null, now), platform, isSilent }),
    );
  }

  /**
   * Records that a wallet no longer contains a delivery's card. The delivery is skipped unless another device still has the card.
   * Repeated calls have no effect.
   */
  async walletMissing(organizationId: string, deliveryId: string): Promise<void> {
    await this.endCardDelivery(organizationId, deliveryId, function* (tx, before, now) {
      const cards = yield* findWaitingCards(tx, [before]);
      if (cards.some(({ devices }) => devices.length > 0)) return null;
      return withEndStatus(before, "SKIPPED", "no_wallet", now);
    });
  }

  private async endCardDelivery(
    organizationId: string,
    deliveryId: string,
    endDelivery: (
      tx: StorageTransaction,
      before: StoredMessageDelivery,
      now: number,
    ) => Step<StoredMessageDelivery | null>,
  ): Promise<void> {
    const tenant = this.tenant(organizationId);
    await tenant.change(["messages.endOnCard"], function* (change: Change) {
      const { tx } = change;
      const before = yield* tx.findMessageDelivery(deliveryId);
      if (before === null || before.channel !== "wallet" || before.status !== "SENDING") return;
      const now = tenant.now();
      const after = yield* endDelivery(tx, before, now);
      if (after === null) return;
      yield* tx.updateMessageDeliveries([after]);
      yield* releaseWaitingCards(tx, [after]);
      const changes = new DeliveryTally(now);
      changes.record(before, after);
      yield* changes.write(change);
    });
  }

  /** Postpones a message after a failure, so that the organization's other messages can proceed. */
  private async postpone(organizationId: string, messageId: string): Promise<void> {
    const { changes, clock } = this.engine;
    await changes.run(organizationId, function* (tx) {
      const now = clock();
      const message = yield* tx.findMessage(messageId);
      if (message !== null) yield* scheduleMessage(tx, messageId, now + RETRY_DELAY_MS, now);
    });
  }

  /** Signals the mail and wallet workers that there may be work. */
  private signalOtherWorkers(organizationId: string): void {
    const {
      channels: { mail },
      delivery: { outbox },
    } = this.engine;
    mail.signalWork(organizationId);
    outbox?.signalWork(organizationId);
  }

  private tenant(organizationId: string): Tenant {
    return this.engine.openTenant(organizationId, workerActor);
  }
}

/**
 * Performs a message's next step in the caller's transaction.
 * @param readyAudience the audience, if it was evaluated before the transaction.
 * @returns when to continue, `null` if nothing is left to do, or `"audience"` if the audience must be evaluated first.
 */
function* advanceMessage(
  context: MessageContext,
  message: StoredMessage,
  readyAudience: Bitmap | null = null,
): Step<number | null | "audience"> {
  const { now } = context;
  switch (message.status) {
    case "SCHEDULED":
      return yield* beginMessage(context, message, readyAudience);
    case "SENDING": {
      const isExpired = now >= (message.endsAt ?? computeMessageEnd(message, now));
      // If this ended the message, its cards are next.
      return isExpired
        ? ((yield* endDeliveries(context, message, "expired")) ?? now)
        : yield* sendBatch(context, message);
    }
    case "CANCELED": {
      const next = message.isSettled ? null : yield* endDeliveries(context, message, "canceled");
      if (next === now) return next;
      return (yield* removeFromCards(context, message.id)) ? now : next;
    }
    case "SENT":
      if (message.shownUntil === null) return null;
      if (now < message.shownUntil) return message.shownUntil;
      return (yield* removeFromCards(context, message.id)) ? now : null;
    case "DRAFT":
    case "EXPIRED":
      // Cards may still show a test of the message.
      return (yield* removeFromCards(context, message.id)) ? now : null;
  }
}

/**
 * Starts a message and stores its audience. An expired message ends without being sent. During quiet hours, or while too many
 * other messages are being sent, the message waits.
 * @param readyAudience the audience if it was read before the transaction. Otherwise, `null`.
 * @returns when to continue, or `"audience"` if the audience must be read before the transaction because reading it takes too
 *   long.
 */
function* beginMessage(
  context: MessageContext,
  message: StoredMessage,
  readyAudience: Bitmap | null,
): Step<number | "audience"> {
  const { tenant, tx, record, now } = context;
  const { organizationId, engine } = tenant;
  const endsAt = message.endsAt ?? computeMessageEnd(message, now);
  if (now >= endsAt) {
    const expiredMessage: StoredMessage = {
      ...message,
      status: "EXPIRED",
      completedAt: now,
      isSettled: true,
    };
    yield* saveMessage(context, expiredMessage, now);
    return now;
  }
  if (message.sendAt !== null && now < message.sendAt) {
    // Cards may still show a test of the message.
    return (yield* removeFromCards(context, message.id)) ? now : message.sendAt;
  }
  const { quietUntil } = yield* readSendingSettings(tx, now);
  if (quietUntil > now) return Math.min(quietUntil, endsAt);
  const sendingCount = yield* tx.countOf("sendingMessages");
  if (sendingCount >= engine.config.limits.sendingMessages) return Math.min(now + RECHECK_DELAY_MS, endsAt);
  if (readyAudience === null && isCostlyAudience(message)) return "audience";
  const audience =
    readyAudience === null
      ? yield* readAudience(tx, organizationId, message, now)
      : readyAudience.and((yield* tx.readTagSets([])).users);
  const customers = audience.count();
  const startedMessage: StoredMessage = withSums(
    {
      ...message,
      status: "SENDING",
      startedAt: now,
      endsAt,
      shownUntil: computeShownUntil(message, endsAt, now),
      customers,
      cursor: 0,
    },
    createInitialSums(customers * countDeliveriesPerMember(message.order, message.channels)),
  );
  record("message.started", toMessageProgress(startedMessage));
  if (customers > 0) yield* tx.putMessageAudience(message.id, audience);
  yield* saveMessage(context, startedMessage, now);
  return now;
}
