import type { StorageAdapter } from "loyalty-kit";
import { runStep } from "../../../src/base/concurrency/step.js";
import { mailJobs } from "../../../src/storage/mail.js";
import type { AcknowledgedCalls, Customer } from "./customers.js";
import type { Entry } from "./ledger.js";
import type { SentMail } from "./post.js";
import { HOST, type Process, RATE } from "./process.js";

/** Maximum time in milliseconds from a worker's claim until it sends the mail; later it doesn't send it. */
const BEGIN_WITHIN = 5_000;
/** Minimum time in milliseconds for which all mails of a process wait after a fault of the transport. */
const PAUSE = 5_000;
const DAY = 24 * 60 * 60_000;

export interface Scene {
  readonly storage: StorageAdapter;
  readonly now: number;
  readonly retentionDays: number;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly sent: readonly SentMail[];
  readonly customers: readonly Customer[];
  readonly acknowledged: AcknowledgedCalls;
  readonly died: readonly Process[];
}

/** Checks the results of all mails against the guarantees. */
export async function findFaults(scene: Scene): Promise<string[]> {
  const byId = groupBy(scene.sent, ({ id }) => id);
  return [
    ...findMissingPromises(scene),
    ...findLostMails(scene, byId),
    ...findDuplicates(scene, byId),
    ...findUnwantedMails(scene),
    ...findRateViolations(scene),
    ...(await findStoredFaults(scene)),
    ...(await findSubscriptionFaults(scene)),
  ];
}

/** Checks that every sent mail and every promised mail has a row, and that each key has one mail. */
function findMissingPromises({ entries, sent, acknowledged }: Scene): string[] {
  const keys = new Map<string, string>();
  const wrong: string[] = [];
  for (const { id, key } of acknowledged.deliveries) {
    if (!entries.has(id)) wrong.push(`${id} was promised, and is not there`);
    if (key === null) continue;
    if ((keys.get(key) ?? id) !== id) wrong.push(`${id} and ${keys.get(key)} are of one call`);
    keys.set(key, id);
  }
  for (const { id, messageId } of sent) {
    if (!entries.has(id)) wrong.push(`${id} was sent, and is not there`);
    if (messageId !== `<${id}@${HOST}>`) wrong.push(`${id} was sent as ${messageId}`);
  }
  return wrong;
}

/** Checks that every mail ended, in a status that matches what the server saw. */
function findLostMails({ entries }: Scene, byId: ReadonlyMap<string, SentMail[]>): string[] {
  const wrong: string[] = [];
  for (const [id, { isErased, delivery }] of entries) {
    const { status, reason, failures } = delivery;
    const attempts = byId.get(id) ?? [];
    const isTaken = attempts.some(({ takenAt }) => takenAt !== null);
    const lastReply = attempts.findLast(({ heardAt }) => heardAt !== null);
    const addFault = (text: string) => wrong.push(`${id}, ${status} ${reason}, ${text}`);
    if (isErased) continue;
    if (status === "PENDING" || status === "SENDING") addFault("has not ended");
    if (status === "ACCEPTED" && !isTaken) addFault("has no mail");
    if (reason === "bounced" || reason === "complained") {
      if (attempts.length === 0) addFault("was never sent");
    }
    if (reason === "gave_up" && failures === 0) addFault("has no attempt that failed");
    if (reason === "address_refused" && lastReply?.luck !== "address")
      addFault("was not refused for its address");
    if (reason === "message_refused" && lastReply?.luck !== "message")
      addFault("was not refused for what it is");
    const settledAttempt = attempts.find(({ luck, settledAt }) => luck === "taken" && settledAt !== null);
    if (settledAttempt !== undefined && status !== "ACCEPTED" && status !== "FAILED")
      addFault("was accepted");
  }
  return wrong;
}

/** Checks that a mail is repeated only if its reply was lost, or if its process died before it stored the result. */
function findDuplicates({ died }: Scene, byId: ReadonlyMap<string, SentMail[]>): string[] {
  const wrong: string[] = [];
  const dead = new Set(died.flatMap(({ underWayAtDeath }) => underWayAtDeath));
  let doubles = 0;
  for (const [id, attempts] of byId) {
    const acceptedAttempts = attempts.filter(({ takenAt }) => takenAt !== null);
    doubles += Math.max(0, acceptedAttempts.length - 1);
    for (const each of attempts.slice(0, -1)) {
      if (each.luck === "taken" && !dead.has(each)) wrong.push(`${id} was sent after it had been accepted`);
      if ((each.luck === "address" || each.luck === "message") && each.settledAt !== null)
        wrong.push(`${id} was sent after it had been refused for good`);
    }
  }
  const answersLost = [...byId.values()].flat().filter(({ luck }) => luck === "lost" || luck === "broken");
  if (doubles > answersLost.length + dead.size)
    wrong.push(`${doubles} doubles of ${answersLost.length} answers lost and ${dead.size} under way`);
  return wrong;
}

/**
 * Checks that customers who refused, left or moved get no mails, except those claimed before, and those only at the
 * address of the claim.
 */
function findUnwantedMails({ sent, entries, acknowledged }: Scene): string[] {
  const wrong: string[] = [];
  const { silentAddresses, gonePasses } = acknowledged;
  const rejectedAt = new Map<string, number>();
  for (const { luck, to, settledAt } of sent) {
    if (luck === "address" && settledAt !== null)
      rejectedAt.set(to, Math.min(rejectedAt.get(to) ?? settledAt, settledAt));
  }
  for (const { id, at, to, claim } of sent) {
    if (claim === null || to !== claim.to || at > claim.at + BEGIN_WITHIN)
      wrong.push(`${id} was sent to ${to} at ${at} by a claim of ${claim?.at} to ${claim?.to}`);
    if (at > (rejectedAt.get(to) ?? at) + BEGIN_WITHIN) wrong.push(`${id} was sent to the dead ${to}`);
    const entry = entries.get(id);
    // A message is for its customer, regardless of cards.
    const passId = entry?.delivery.kind === "message" ? "" : (entry?.delivery.passId ?? "");
    const silentFrom = Math.min(silentAddresses.get(to) ?? at, gonePasses.get(passId) ?? at);
    if (at > silentFrom + BEGIN_WITHIN) wrong.push(`${id} was sent to ${to} at ${at}, after ${silentFrom}`);
  }
  return wrong;
}

/** Checks that no process exceeds its rate, or goes on while the transport is at fault. */
function findRateViolations({ sent }: Scene): string[] {
  const wrong: string[] = [];
  for (const ofProcess of groupBy(sent, ({ by }) => by).values()) {
    for (const [at, { id, at: time }] of ofProcess.entries()) {
      const first = ofProcess[at - RATE.requests];
      if (first !== undefined && time - first.at < RATE.seconds * 1_000)
        wrong.push(`${id} is above the rate`);
    }
    const faults = ofProcess.filter(({ luck }) => luck === "transport" || luck === "broken");
    for (const fault of faults) {
      const { heardAt } = fault;
      // A mail that began before another pause says nothing about the time after that pause.
      const isOld = faults.some((each) => each.heardAt !== null && isWithin(fault, each.heardAt));
      if (heardAt === null || isOld) continue;
      const early = ofProcess.find(({ at }) => at > heardAt && at < heardAt + PAUSE);
      if (early !== undefined) wrong.push(`${early.id} did not wait for the transport`);
    }
  }
  return wrong;
}

function isWithin({ at, heardAt }: SentMail, time: number): boolean {
  return heardAt !== null && at <= time && time < heardAt;
}

/** Checks that the tables contain what was written, except old rows, and nothing about erased customers. */
async function findStoredFaults({
  storage,
  now,
  retentionDays,
  entries,
  customers,
  sent,
}: Scene): Promise<string[]> {
  const wrong: string[] = [];
  for (const [organizationId, all] of groupBy(entries.values(), (each) => each.organizationId)) {
    for (let at = 0; at < all.length; at += 1_000) {
      const some = all.slice(at, at + 1_000);
      const ids = some.map(({ delivery }) => delivery.id);
      const rows = await runStep(storage.reader(organizationId).messageDeliveriesById(ids));
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const { delivery, isErased } of some) {
        const row = found.get(delivery.id);
        const isOld = delivery.createdAt < now - retentionDays * DAY;
        if (row === undefined && !isErased && !isOld) wrong.push(`${delivery.id} is not kept`);
        if (row !== undefined && isErased) wrong.push(`${delivery.id} is still kept`);
        if (row !== undefined && row.status !== delivery.status)
          wrong.push(`${delivery.id} is ${row.status}`);
      }
    }
  }
  const waiting = await runStep(storage.all.queuesWithDueJobs(mailJobs, now + 1_000 * DAY, 100));
  if (waiting.length > 0) wrong.push(`mails of ${waiting} wait for ever`);
  const addresses = new Set(sent.map(({ to }) => to));
  for (const { organizationId, userId, isErased, email } of customers.filter((each) => each.isErased)) {
    const query = { status: null, page: 0, size: 1 };
    const { total } = await runStep(storage.reader(organizationId).messageDeliveriesOf({ userId }, query));
    const subscription = await runStep(storage.reader(organizationId).findSubscription(userId));
    if (isErased && (total > 0 || subscription !== null)) wrong.push(`${email} is known yet`);
  }
  if (addresses.size === 0) wrong.push("nothing was sent");
  return wrong;
}

/** Checks that the choices of customers are preserved. */
async function findSubscriptionFaults({ storage, customers }: Scene): Promise<string[]> {
  const wrong: string[] = [];
  for (const { organizationId, userId, email, isGone, hasEndedMessages, isConfirmed } of customers) {
    const subscription = await runStep(storage.reader(organizationId).findSubscription(userId));
    if (isGone) {
      if (subscription !== null) wrong.push(`${email} has left, and is known yet`);
      continue;
    }
    if (hasEndedMessages && subscription?.emailStatus !== "UNSUBSCRIBED")
      wrong.push(`${email} has ended messages, and is ${subscription?.emailStatus}`);
    if (isConfirmed !== (subscription !== null && subscription.emailConfirmedAt !== null))
      wrong.push(`${email} is ${isConfirmed ? "" : "not "}confirmed, and is known otherwise`);
  }
  return wrong;
}

function groupBy<Key, T>(all: Iterable<T>, keyOf: (each: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const each of all) {
    const group = groups.get(keyOf(each)) ?? [];
    group.push(each);
    groups.set(keyOf(each), group);
  }
  return groups;
}
