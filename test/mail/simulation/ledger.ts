import type { StorageAdapter } from "loyalty-kit";
import type { Step } from "../../../src/base/concurrency/step.js";
import { LEASE_MS } from "../../../src/kernel/engine.js";
import type { StoredMessageDelivery } from "../../../src/storage/mail.js";
import type { StoredMessage } from "../../../src/storage/messages.js";
import type { StorageTransaction } from "../../../src/storage/storage-adapter.js";
import { findChangeFaults, findDeliveryFaults, isReasonOfMessages } from "./message-rules.js";

type Status = StoredMessageDelivery["status"];

/**
 * Allowed next statuses. A mail in `SENDING` is looked at when its claim has ended, so it may end in the same step.
 */
const next: Readonly<Record<Status, readonly Status[]>> = {
  PENDING: ["PENDING", "SENDING", "SKIPPED", "FAILED"],
  SENDING: ["SENDING", "ACCEPTED", "PENDING", "SKIPPED", "FAILED"],
  ACCEPTED: ["ACCEPTED", "FAILED"],
  SKIPPED: ["SKIPPED"],
  FAILED: ["FAILED"],
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Permission to send a mail, to the address at that time. */
export interface Claim {
  readonly at: number;
  readonly to: string;
}

/** A delivery as it was last written. */
export interface Entry {
  readonly organizationId: string;
  delivery: StoredMessageDelivery;
  /** Whether it was removed together with its customer. */
  isErased: boolean;
  claim: Claim | null;
}

/** Records what transactions write about mails, and checks each write against the rows that its transaction sees. */
export class Ledger {
  readonly entries = new Map<string, Entry>();
  readonly wrong = new Set<string>();

  constructor(private readonly clock: () => number) {}

  /** Returns the storage with its transactions recorded. */
  recordChanges(storage: StorageAdapter): StorageAdapter {
    const transaction: StorageAdapter["transaction"] = async (organizationId, work, options) => {
      const undo: (() => void)[] = [];
      const undoAll = () => {
        for (const each of undo.splice(0).reverse()) each();
      };
      try {
        return await storage.transaction(
          organizationId,
          (tx) => {
            // A transaction may run again.
            undoAll();
            return work(this.recordTransaction(tx, organizationId, undo));
          },
          options,
        );
      } catch (error) {
        undoAll();
        throw error;
      }
    };
    return replaceMembers(storage, { transaction });
  }

  private recordTransaction(
    tx: StorageTransaction,
    organizationId: string,
    undo: (() => void)[],
  ): StorageTransaction {
    const { entries } = this;
    const putEntry = (id: string, entry: Entry) => {
      const before = entries.get(id);
      entries.set(id, entry);
      undo.push(() => (before === undefined ? entries.delete(id) : entries.set(id, before)));
    };
    const updateMessageDeliveries = function* (
      this: Ledger,
      rows: readonly StoredMessageDelivery[],
    ): Step<void> {
      const found = yield* tx.messageDeliveriesById(rows.map(({ id }) => id));
      const storedById = new Map(found.map((each) => [each.id, each]));
      for (const after of rows) {
        const before = storedById.get(after.id);
        const entry = entries.get(after.id);
        if (before === undefined || entry === undefined) continue;
        const claim = yield* this.checkChange(tx, before, after);
        putEntry(after.id, { ...entry, delivery: after, claim: claim ?? entry.claim });
      }
      yield* tx.updateMessageDeliveries(rows);
    }.bind(this);
    const insertMessageDeliveries = function* (
      this: Ledger,
      rows: readonly StoredMessageDelivery[],
    ): Step<void> {
      for (const delivery of rows) {
        if (delivery.kind !== "message") this.count(delivery);
        putEntry(delivery.id, { organizationId, delivery, isErased: false, claim: null });
      }
      yield* tx.insertMessageDeliveries(rows);
    }.bind(this);
    const removeMessageDeliveries: StorageTransaction["removeMessageDeliveries"] = function* (which) {
      if ("userId" in which) {
        for (const [id, entry] of entries)
          if (entry.delivery.userId === which.userId) putEntry(id, { ...entry, isErased: true });
      }
      return yield* tx.removeMessageDeliveries(which);
    };
    const updateMessageProgress = function* (this: Ledger, message: StoredMessage): Step<boolean> {
      const before = yield* tx.findMessage(message.id);
      if (before !== null)
        for (const wrong of findChangeFaults(before, message)) this.wrong.add(`${message.id} ${wrong}`);
      return yield* tx.updateMessageProgress(message);
    }.bind(this);
    return replaceMembers(tx, {
      updateMessageProgress,
      updateMessageDeliveries,
      insertMessageDeliveries,
      removeMessageDeliveries,
    });
  }

  /** @returns the claim that the write makes, or `null` for any other write. */
  private *checkChange(
    tx: StorageTransaction,
    before: StoredMessageDelivery,
    after: StoredMessageDelivery,
  ): Step<Claim | null> {
    const now = this.clock();
    const { id, status, reason } = after;
    const addFault = (text: string) => this.wrong.add(`${id} ${text}`);
    if (!next[before.status].includes(status)) addFault(`went from ${before.status} to ${status}`);
    if ((after.nextAttemptAt !== null) !== (status === "PENDING")) addFault(`is ${status} with a wrong time`);
    if (after.attempts.length > 10) addFault("has more than ten attempts");
    if (after.attempts.some(({ answer }) => answer?.includes("@"))) addFault("has an address in an answer");
    if (before.isUncertain && !after.isUncertain) addFault("is certain again");
    const user = yield* tx.findUser(before.userId);
    const isOfMessage = before.kind === "message";
    const pass = before.passId === null ? null : yield* tx.findPass(before.passId);
    const wrongs = isOfMessage ? yield* findDeliveryFaults(tx, before, after, now) : [];
    for (const wrong of wrongs) addFault(wrong);
    const subscription = yield* tx.findSubscription(before.userId);
    const isSuppressed = subscription !== null && subscription.suppressedReason !== null;
    if (status === "SKIPPED" && before.status !== "SKIPPED") {
      const isSo =
        (reason === "customer_deleted" && user === null) ||
        (reason === "pass_deleted" && user !== null && !isOfMessage && pass === null) ||
        (reason === "expired" && now >= before.expiresAt) ||
        (reason === "no_address" && user?.email === null) ||
        (reason === "suppressed" && isSuppressed) ||
        (isOfMessage && isReasonOfMessages(reason));
      if (!isSo) addFault(`is skipped as ${reason} without a cause`);
    }
    const isClaim =
      status === "SENDING" && (before.status !== status || after.updatedAt !== before.updatedAt);
    if (!isClaim) return null;
    if (before.status === "SENDING" && after.updatedAt - before.updatedAt < LEASE_MS)
      addFault("is claimed twice");
    if (before.nextAttemptAt !== null && before.nextAttemptAt > now) addFault("is claimed too soon");
    if (now >= before.expiresAt) addFault("is claimed when it has expired");
    if (user === null || (!isOfMessage && pass === null)) addFault("is claimed of nobody");
    else if (user.email === null) addFault("is claimed without an address");
    if (isSuppressed) addFault("is claimed for a suppressed address");
    return { at: now, to: user?.email ?? "" };
  }

  /**
   * Checks the limits: a pass mail once a minute and three times a day, a sign-up mail once an hour and three times a
   * day.
   */
  private count({ id, kind, userId, passId, createdAt }: StoredMessageDelivery): void {
    const countedDeliveries = [...this.entries.values()]
      .filter(({ isErased, delivery }) => !isErased && delivery.status !== "SKIPPED")
      .map(({ delivery }) => delivery)
      .filter((each) => each.kind !== "message")
      .filter((each) =>
        kind === "link" ? each.kind === kind && each.userId === userId : each.passId === passId,
      );
    const countSince = (ms: number) =>
      countedDeliveries.filter((each) => each.createdAt > createdAt - ms).length;
    if (countSince(kind === "link" ? HOUR : MINUTE) > 0) this.wrong.add(`${id} comes too soon`);
    if (countSince(DAY) > 2) this.wrong.add(`${id} is one too many of a day`);
  }
}

/** Returns the object with some of its members replaced. */
function replaceMembers<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(object, key) {
      const other: unknown = Reflect.get(members, key);
      if (other !== undefined) return other;
      const member: unknown = Reflect.get(object, key);
      return typeof member === "function" ? member.bind(object) : member;
    },
  });
}
