import type { Step } from "../../../../../src/base/concurrency/step.js";
import { automationJobs } from "../../../../../src/storage/automations.js";
import type { JobKind } from "../../../../../src/storage/jobs.js";
import { mailJobs } from "../../../../../src/storage/mail.js";
import { messageJobs } from "../../../../../src/storage/messages.js";
import type { StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import { walletJobs } from "../../../../../src/storage/wallets.js";
import { someAutomationJob } from "../../kit/automation-records.js";
import { someMailJob, someMailQueue, someMessageDelivery } from "../../kit/mail-records.js";
import { someMessageJob } from "../../kit/message-records.js";
import { someWalletCard, someWalletDelivery } from "../../kit/records.js";
import type { World } from "../world.js";
import { anAutomation } from "./automations.js";
import { chooseRow, type Write, type WriteName } from "./choosing.js";

export const platforms = ["apple", "apple", "google"] as const;
const mailLanes = ["pass", "pass", "message"] as const;
const automationLanes = ["run", "run", "date"] as const;

export const aCard = (tx: StorageTransaction, id: string, world: World) =>
  chooseRow(world, world.cards, ({ passId }) => tx.findWalletCard(id, passId));

export const readCards = (tx: StorageTransaction, id: string, world: World) =>
  tx.walletCardsOf(
    id,
    world.cards.map(({ passId }) => passId),
  );

/** Locks the organization's wallet queue, creating it if it doesn't exist. */
export function* lockedQueue(tx: StorageTransaction, id: string): Step<void> {
  if ((yield* tx.lockWalletQueue(id, true)) === null) {
    yield* tx.insertWalletQueue(id, { position: 0, revision: 0, sweeps: [] });
  }
}

/** Creates the organization's mail queue if it doesn't exist. */
export function* mailQueue(tx: StorageTransaction, id: string, world: World): Step<void> {
  if ((yield* tx.findMailQueue(id)) !== null) return;
  const queue = someMailQueue({ token: world.name() });
  yield* tx.insertMailQueue(id, world.keep(world.mailQueues, queue));
}

/** Creates the organization's message queue if it doesn't exist. */
export function* messageQueue(tx: StorageTransaction, id: string): Step<void> {
  if ((yield* tx.findMessageQueue(id)) === null)
    yield* tx.insertMessageQueue(id, { testTimes: [], createdAt: 1 });
}

/** Creates the organization's automation queue if it doesn't exist. */
export function* automationQueue(tx: StorageTransaction, id: string): Step<void> {
  if ((yield* tx.findAutomationQueue(id)) === null)
    yield* tx.insertAutomationQueue(id, { position: 0, createdAt: 1 });
}

/** Chooses a kind of job and one of its lanes, with the organization's queue locked. */
function* pickLane(tx: StorageTransaction, id: string, world: World): Step<{ kind: JobKind; lane: string }> {
  if (world.rarely(4)) {
    yield* automationQueue(tx, id);
    return { kind: automationJobs, lane: world.one(automationLanes) };
  }
  if (world.rarely(3)) {
    yield* messageQueue(tx, id);
    return { kind: messageJobs, lane: "message" };
  }
  if (world.rarely(2)) {
    yield* mailQueue(tx, id, world);
    return { kind: mailJobs, lane: world.one(mailLanes) };
  }
  yield* lockedQueue(tx, id);
  return { kind: walletJobs, lane: world.one([...platforms, "installation"]) };
}

/** Returns the subjects for which the organization may have jobs of a kind, plus one that has no job. */
function* readSubjects(tx: StorageTransaction, id: string, kind: JobKind, world: World): Step<string[]> {
  if (kind === walletJobs) {
    return [...(yield* readCards(tx, id, world)), someWalletCard()].map(({ passId }) => passId);
  }
  if (kind === automationJobs) return world.automations.map((automation) => automation.id);
  if (kind === messageJobs) return world.messages.map((message) => message.id);
  const ids = world.messageDeliveries.map((delivery) => delivery.id);
  return [...(yield* tx.messageDeliveriesById(id, ids)), someMessageDelivery()].map((each) => each.id);
}

export const jobWrites = {
  *putJobs(tx, id, world) {
    const fields = { revision: world.below(5), nextAttemptAt: world.time() };
    if (world.rarely(4)) {
      yield* automationQueue(tx, id);
      const automation = yield* anAutomation(tx, id, world);
      const job = { ...fields, lane: world.one(automationLanes) };
      if (automation !== null) yield* tx.putJobs(id, automationJobs, [someAutomationJob(automation, job)]);
      return;
    }
    if (world.rarely(3)) {
      yield* messageQueue(tx, id);
      const message = yield* chooseRow(world, world.messages, (each) => tx.findMessage(id, each.id));
      if (message !== null) yield* tx.putJobs(id, messageJobs, [someMessageJob(message, fields)]);
      return;
    }
    if (world.rarely(2)) {
      yield* mailQueue(tx, id, world);
      const delivery = yield* chooseRow(world, world.messageDeliveries, (each) =>
        tx.findMessageDelivery(id, each.id),
      );
      if (delivery === null) return;
      const lanes = world.one([["pass"], ["message"], ["pass", "message"], []] as const);
      const jobs = lanes.map((each) => someMailJob(delivery, { ...fields, lane: each }));
      yield* tx.putJobs(id, mailJobs, jobs);
      return;
    }
    yield* lockedQueue(tx, id);
    const card = yield* aCard(tx, id, world);
    if (card === null) return;
    const lanes = world.one([["apple"], ["google"], ["apple", "google", "installation"], []] as const);
    const deliveries = lanes.map((platform) => someWalletDelivery(card, { ...fields, platform }));
    yield* tx.putJobs(id, walletJobs, deliveries);
  },
  *claimJobs(tx, id, world) {
    const of = yield* pickLane(tx, id, world);
    const claim = world.newClaim();
    world.keepClaim(id, of.lane, claim.lease);
    yield* tx.claimJobs(id, of.kind, of.lane, claim);
  },
  *recordResults(tx, id, world) {
    const of = yield* pickLane(tx, id, world);
    if (world.rarely(2)) {
      const claim = { ...world.newClaim(), now: 50, until: 60 };
      world.keepClaim(id, of.lane, claim.lease);
      yield* tx.claimJobs(id, of.kind, of.lane, claim);
    }
    const results = (yield* readSubjects(tx, id, of.kind, world)).map((subject) => ({
      subject,
      revision: world.below(5),
      nextAttemptAt: world.orNull(world.time()),
    }));
    const lease = world.leaseOf(id, of.lane);
    yield* tx.recordResults(id, of.kind, of.lane, lease, results, world.time());
  },
  *deleteJobs(tx, id, world) {
    const of = yield* pickLane(tx, id, world);
    const subjects = yield* readSubjects(tx, id, of.kind, world);
    yield* tx.deleteJobs(id, of.kind, of.lane, world.some(subjects, 3));
  },
} satisfies Partial<Record<WriteName, Write>>;
