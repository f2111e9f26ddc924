import type { Functions } from "../../../../src/storage/methods.js";
import {
  type StoredWalletQueue,
  type WalletLookUps,
  type WalletPlatform,
  type WalletReads,
  type WalletSweep,
  type WalletWrites,
  walletJobs,
} from "../../../../src/storage/wallets.js";
import type { ReadModule, WriteContext } from "../change/commit-buffer.js";
import { setDueTimeStatement } from "../jobs/jobs.js";
import { withRules } from "../session/call-rules.js";
import { changesRow, findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

type Reads = Pick<WalletReads, "findWalletQueue">;
type LookUps = Pick<WalletLookUps, "organizationsWithWallets">;
type Writes = Pick<
  WalletWrites,
  "insertWalletQueue" | "lockWalletQueue" | "updateWalletQueue" | "deleteWalletCard" | "recordNotified"
>;

interface OfOrganization {
  organizationId: string;
}

interface OfPass extends OfOrganization {
  platform: WalletPlatform;
  passId: string;
}

/** A queue like the port's, but with its sweeps as JSON. */
type QueueValues = Omit<StoredWalletQueue, "sweeps"> & { readonly sweeps: string };

export function walletQueueReads(dialect: SqlDialect): ReadModule<Reads, LookUps> {
  const byOrganization = prepare((slot: Slot<OfOrganization>) => selectQueue(dialect, slot));

  const withQueue = prepare((slot: Slot<{ after: string; limit: number }>) =>
    dialect.db
      .selectFrom("loyalty_wallet_queues")
      .select("organization_id as organizationId")
      .where("organization_id", ">", slot("after"))
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  return {
    reads: {
      findWalletQueue: withRules({ locks: "wallet queue" }, function* ({ session, organizationId }) {
        const row = yield* findFirst(session, byOrganization({ organizationId }));
        return row === null ? null : queueFrom(row);
      }),
    },
    lookUps: {
      *organizationsWithWallets({ session }, after, limit) {
        return (yield* session.all(withQueue({ after, limit }))).map(({ organizationId }) => organizationId);
      },
    },
  };
}

/** Creates the write functions for wallet queues and deliveries, which also keep the due time in the queue's row up to date. */
export function walletQueueWrites(dialect: SqlDialect): Functions<Writes, WriteContext> {
  const { db, isOneOf, listParameter, locksOrganizations } = dialect;

  const insert = prepare((slot: Slot<QueueValues & OfOrganization>) =>
    db
      .insertInto("loyalty_wallet_queues")
      .values({ organization_id: slot("organizationId"), due_at: null, ...createChangingColumns(slot) }),
  );

  const find = prepare((slot: Slot<OfOrganization>) => selectQueue(dialect, slot));

  const lock = prepare((slot: Slot<OfOrganization>) => selectQueue(dialect, slot).forUpdate());

  const lockUnlocked = prepare((slot: Slot<OfOrganization>) =>
    selectQueue(dialect, slot).forUpdate().skipLocked(),
  );

  const update = prepare((slot: Slot<QueueValues & OfOrganization>) =>
    db
      .updateTable("loyalty_wallet_queues")
      .set(createChangingColumns(slot))
      .where("organization_id", "=", slot("organizationId")),
  );

  const setDueTime = setDueTimeStatement(dialect, walletJobs);

  const recordNotified = prepare((slot: Slot<OfPass & { deviceIds: unknown; revision: number }>) =>
    db
      .updateTable("loyalty_wallet_devices")
      .set({ notified_revision: slot("revision") })
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where("platform", "=", slot("platform"))
      .where(({ ref }) => isOneOf(ref("device_id"), slot("deviceIds"))),
  );

  const removeCard = prepare((slot: Slot<OfOrganization & { passId: string }>) =>
    db
      .deleteFrom("loyalty_wallet_cards")
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId")),
  );

  return {
    *insertWalletQueue({ session, buffer, organizationId }, queue) {
      yield* session.change(insert({ organizationId, ...valuesOf(queue) }));
      yield* buffer.updateCounters(organizationId, {});
    },

    lockWalletQueue: withRules({ locks: "wallet queue" }, function* ({ session, organizationId }, isWaiting) {
      // If transactions run one at a time, no other transaction can hold the lock.
      const locking = locksOrganizations ? (isWaiting ? lock : lockUnlocked) : find;
      const row = yield* findFirst(session, locking({ organizationId }));
      return row === null ? null : queueFrom(row);
    }),

    updateWalletQueue: withRules({ locks: "wallet queue" }, ({ session, organizationId }, queue) =>
      changesRow(session, update({ organizationId, ...valuesOf(queue) })),
    ),

    deleteWalletCard: withRules({ locks: "wallet queue" }, function* ({ session, organizationId }, passId) {
      const isRemoved = yield* changesRow(session, removeCard({ organizationId, passId }));
      yield* session.change(setDueTime({ organizationId }));
      return isRemoved;
    }),

    recordNotified: withRules(
      { locks: "wallet queue" },
      function* ({ session, organizationId }, platform, outcomes) {
        for (const { passId, revision, deviceIds } of outcomes) {
          if (deviceIds.length === 0) continue;
          const key = { organizationId, platform, passId, revision };
          yield* session.change(recordNotified({ ...key, deviceIds: listParameter(deviceIds) }));
        }
      },
    ),
  };
}

function selectQueue({ db }: SqlDialect, slot: Slot<OfOrganization>) {
  return db
    .selectFrom("loyalty_wallet_queues")
    .select(["position", "revision", "sweeps"])
    .where("organization_id", "=", slot("organizationId"));
}

function createChangingColumns(slot: Slot<QueueValues>) {
  return { position: slot("position"), revision: slot("revision"), sweeps: slot("sweeps") };
}

function valuesOf(queue: StoredWalletQueue): QueueValues {
  return {
    ...queue,
    sweeps: JSON.stringify(queue.sweeps.map(({ templateId, after }) => [templateId, after])),
  };
}

function queueFrom({ sweeps, ...queue }: QueueValues): StoredWalletQueue {
  return { ...queue, sweeps: parseSweeps(sweeps) };
}

/**
 * Parses a queue's sweeps. Each sweep is stored as a pair of its template's ID (or `null`) and the key after which the sweep
 * continues.
 */
function parseSweeps(json: string): WalletSweep[] {
  const pairs: unknown = JSON.parse(json);
  if (!Array.isArray(pairs)) throw new Error("the sweeps of a wallet queue aren't a list");
  return pairs.map((pair: unknown) => {
    const [templateId, after] = Array.isArray(pair) ? pair : [];
    return { templateId: templateId === null ? null : String(templateId), after: String(after) };
  });
}
