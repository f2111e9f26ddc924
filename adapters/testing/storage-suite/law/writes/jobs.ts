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

export const aCard = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.cards, ({ passId }) => tx.findWalletCard(passId));

export const readCards = (tx: StorageTransaction, world: World) =>
  tx.walletCardsOf(world.cards.map(({ passId }) => passId));

/** Locks the organization's wallet queue, creating it if it doesn't exist. */
export function* lockedQueue(tx: StorageTransaction): Step<void> {
  if ((yield* tx.lockWalletQueue(true)) === null) {
    yield* tx.insertWalletQueue({ position: 0, revision: 0, sweeps: [] });
  }
}

/** Creates the organization's mail queue if it doesn't exist. */
export function* mailQueue(tx: StorageTransaction, world: World): Step<void> {
  if ((yield* tx.findMailQueue()) !== null) return;
  const queue = someMailQueue({ token: world.name() });
  yield* tx.insertMailQueue(world.keep(world.mailQueues, queue));
}

/** Creates the organization's message queue if it doesn't exist. */
export function* messageQueue(tx: StorageTransaction): Step<void> {
  if ((yield* tx.findMessageQueue()) === null) yield* tx.insertMessageQueue({ testTimes: [], createdAt: 1 });
}

/** Creates the organization's automation queue if it doesn't exist. */
export function* automationQueue(tx: StorageTransaction): Step<void> {
  if ((yield* tx.findAutomationQueue()) === null)
    yield* tx.insertAutomationQueue({ position: 0, createdAt: 1 });
}

/** Chooses a kind of job and one of its lanes, with the organization's queue locked. */
function* pickLane(tx: StorageTransaction, world: World): Step<{ kind: JobKind; lane: string }> {
  if (world.rarely(4)) {
    yield* automationQueue(tx);
    return { kind: automationJobs, lane: world.one(automationLanes) };
  }
  if (world.rarely(3)) {
    yield* messageQueue(tx);
    return { kind: messageJobs, lane: "message" };
  }
  if (world.rarely(2)) {
    yield* mailQueue(tx, world);
    return { kind: mailJobs, lane: world.one(mailLanes) };
  }
  yield* lockedQueue(tx);
  return { kind: walletJobs, lane: world.one([...platforms, "installation"]) };
}

/** Returns the subjects for which the organization may have jobs of a kind, plus one that has no job. */
function* readSubjects(tx: StorageTransaction, kind: JobKind, world: World): Step<string[]> {
  if (kind === walletJobs) {
    return [...(yield* readCards(tx, world)), someWalletCard()].map(({ passId }) => passId);
  }
  if (kind === automationJobs) return world.automations.map((automation) => automation.id);
  if (kind === messageJobs) return world.messages.map((message) => message.id);
  const ids = world.messageDeliveries.map((delivery) => delivery.id);
  return [...(yield* tx.messageDeliveriesById(ids)), someMessageDelivery()].map((each) => each.id);
}

export const jobWrites = {
  *putJobs(tx, world) {
    const fields = { revision: world.below(5), nextAttemptAt: world.time() };
    if (world.rarely(4)) {
      yield* automationQueue(tx);
      const automation = yield* anAutomation(tx, world);
      const job = { ...fields, lane: world.one(automationLanes) };
      if (automation !== null) yield* tx.putJobs(automationJobs, [someAutomationJob(automation, job)]);
      return;
    }
    if (world.rarely(3)) {
      yield* messageQueue(tx);
      const message = yield* chooseRow(world, world.messages, (each) => tx.findMessage(each.id));
      if (message !== null) yield* tx.putJobs(messageJobs, [someMessageJob(message, fields)]);
      return;
    }
    if (world.rarely(2)) {
      yield* mailQueue(tx, world);
      const delivery = yield* chooseRow(world, world.messageDeliveries, (each) =>
        tx.findMessageDelivery(each.id),
      );
      if (delivery === null) return;
      const lanes = world.one([["pass"], ["message"], ["pass", "message"], []] as const);
      const jobs = lanes.map((each) => someMailJob(delivery, { ...fields, lane: each }));
      yield* tx.putJobs(mailJobs, jobs);
      return;
    }
    yield* lockedQueue(tx);
    const card = yield* aCard(tx, world);
    if (card === null) return;
    const lanes = world.one([["apple"], ["google"], ["apple", "google", "installation"], []] as const);
    const deliveries = lanes.map((platform) => someWalletDelivery(card, { ...fields, platform }));
    yield* tx.putJobs(walletJobs, deliveries);
  },
  *claimJobs(tx, world, id) {
    const of = yield* pickLane(tx, world);
    const claim = world.newClaim();
    world.keepClaim(id, of.lane, claim.lease);
    yield* tx.claimJobs(of.kind, of.lane, claim);
  },
  *recordResults(tx, world, id) {
    const of = yield* pickLane(tx, world);
    if (world.rarely(2)) {
      const claim = { ...world.newClaim(), now: 50, until: 60 };
      world.keepClaim(id, of.lane, claim.lease);
      yield* tx.claimJobs(of.kind, of.lane, claim);
    }
    const results = (yield* readSubjects(tx, of.kind, world)).map((subject) => ({
      subject,
      revision: world.below(5),
      nextAttemptAt: world.orNull(world.time()),
    }));
    const lease = world.leaseOf(id, of.lane);
    yield* tx.recordResults(of.kind, of.lane, lease, results, world.time());
  },
  *deleteJobs(tx, world) {
    const of = yield* pickLane(tx, world);
    const subjects = yield* readSubjects(tx, of.kind, world);
    yield* tx.deleteJobs(of.kind, of.lane, world.some(subjects, 3));
  },
} satisfies Partial<Record<WriteName, Write>>;
