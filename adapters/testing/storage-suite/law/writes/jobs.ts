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
import { pickAutomation } from "./automations.js";
import { chooseRow, type Write, type WriteName } from "./choosing.js";

export const platforms = ["apple", "apple", "google"] as const;
const mailLanes = ["pass", "pass", "message"] as const;
const automationLanes = ["run", "run", "date"] as const;

export const pickCard = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.cards, ({ passId }) => tx.findWalletCard(passId));

export const readCards = (tx: StorageTransaction, world: World) =>
  tx.walletCardsOf(world.cards.map(({ passId }) => passId));

export const jobKinds: readonly JobKind[] = [walletJobs, mailJobs, messageJobs, automationJobs];

function someQueue(world: World, kind: JobKind): object {
  if (kind === walletJobs) {
    const sweep = { templateId: world.orNull(world.pickOne(world.templates).id), after: world.text() };
    const sweeps = world.oneIn(2) ? [] : [sweep];
    return { position: world.randomBelow(6), revision: world.randomBelow(5), sweeps };
  }
  if (kind === mailJobs) {
    const token = world.oneIn(3) ? world.pickOne(world.mailQueues).token : world.name();
    return world.track(world.mailQueues, someMailQueue({ token }));
  }
  if (kind === messageJobs) return { testTimes: world.pickSome([0, 4, 9], 3), createdAt: world.time() };
  return { position: world.randomBelow(4), createdAt: world.time() };
}

/** Locks the organization's queue of a kind, creating it if it doesn't exist. */
export function* lockOrInsertQueue(tx: StorageTransaction, world: World, kind: JobKind): Step<void> {
  if ((yield* tx.lockQueue(kind)) === null) yield* tx.insertQueue(kind, someQueue(world, kind));
}

/** Chooses a kind of job and one of its lanes, with the organization's queue locked. */
function* pickLane(tx: StorageTransaction, world: World): Step<{ kind: JobKind; lane: string }> {
  if (world.oneIn(4)) {
    yield* lockOrInsertQueue(tx, world, automationJobs);
    return { kind: automationJobs, lane: world.pickOne(automationLanes) };
  }
  if (world.oneIn(3)) {
    yield* lockOrInsertQueue(tx, world, messageJobs);
    return { kind: messageJobs, lane: "message" };
  }
  if (world.oneIn(2)) {
    yield* lockOrInsertQueue(tx, world, mailJobs);
    return { kind: mailJobs, lane: world.pickOne(mailLanes) };
  }
  yield* lockOrInsertQueue(tx, world, walletJobs);
  return { kind: walletJobs, lane: world.pickOne([...platforms, "installation"]) };
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
  insertQueue: (tx, world) => lockOrInsertQueue(tx, world, world.pickOne(jobKinds)),
  lockQueue: (tx, world) => tx.lockQueue(world.pickOne(jobKinds)),
  tryLockQueue: (tx, world) => tx.tryLockQueue(world.pickOne(jobKinds)),
  *updateQueue(tx, world) {
    const kind = world.pickOne(jobKinds);
    yield* tx.lockQueue(kind);
    yield* tx.updateQueue(kind, someQueue(world, kind));
  },
  *putJobs(tx, world) {
    const fields = { revision: world.randomBelow(5), nextAttemptAt: world.time() };
    if (world.oneIn(4)) {
      yield* lockOrInsertQueue(tx, world, automationJobs);
      const automation = yield* pickAutomation(tx, world);
      const job = { ...fields, lane: world.pickOne(automationLanes) };
      if (automation !== null) yield* tx.putJobs(automationJobs, [someAutomationJob(automation, job)]);
      return;
    }
    if (world.oneIn(3)) {
      yield* lockOrInsertQueue(tx, world, messageJobs);
      const message = yield* chooseRow(world, world.messages, (each) => tx.findMessage(each.id));
      if (message !== null) yield* tx.putJobs(messageJobs, [someMessageJob(message, fields)]);
      return;
    }
    if (world.oneIn(2)) {
      yield* lockOrInsertQueue(tx, world, mailJobs);
      const delivery = yield* chooseRow(world, world.messageDeliveries, (each) =>
        tx.findMessageDelivery(each.id),
      );
      if (delivery === null) return;
      const lanes = world.pickOne([["pass"], ["message"], ["pass", "message"], []] as const);
      const jobs = lanes.map((each) => someMailJob(delivery, { ...fields, lane: each }));
      yield* tx.putJobs(mailJobs, jobs);
      return;
    }
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const card = yield* pickCard(tx, world);
    if (card === null) return;
    const lanes = world.pickOne([["apple"], ["google"], ["apple", "google", "installation"], []] as const);
    const deliveries = lanes.map((platform) => someWalletDelivery(card, { ...fields, platform }));
    yield* tx.putJobs(walletJobs, deliveries);
  },
  *claimJobs(tx, world, id) {
    const selection = yield* pickLane(tx, world);
    const claim = world.createClaim();
    world.trackClaim(id, selection.lane, claim.lease);
    yield* tx.claimJobs(selection.kind, selection.lane, claim);
  },
  *recordResults(tx, world, id) {
    const selection = yield* pickLane(tx, world);
    if (world.oneIn(2)) {
      const claim = { ...world.createClaim(), now: 50, until: 60 };
      world.trackClaim(id, selection.lane, claim.lease);
      yield* tx.claimJobs(selection.kind, selection.lane, claim);
    }
    const results = (yield* readSubjects(tx, selection.kind, world)).map((subject) => ({
      subject,
      revision: world.randomBelow(5),
      nextAttemptAt: world.orNull(world.time()),
    }));
    const lease = world.findLease(id, selection.lane);
    yield* tx.recordResults(selection.kind, selection.lane, lease, results, world.time());
  },
  *deleteJobs(tx, world) {
    const selection = yield* pickLane(tx, world);
    const subjects = yield* readSubjects(tx, selection.kind, world);
    yield* tx.deleteJobs(selection.kind, selection.lane, world.pickSome(subjects, 3));
  },
} satisfies Partial<Record<WriteName, Write>>;
