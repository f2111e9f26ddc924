import { type SqlBool, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { compareTexts } from "../../../../src/base/values/text.js";
import { splitIntoBatches } from "../../../../src/storage/batches.js";
import type {
  ExpiringPoints,
  PointLookUps,
  PointReads,
  PointWrites,
  RemainingPoints,
  StoredPointCard,
} from "../../../../src/storage/points.js";
import type { LookUpModule } from "../change/commit-buffer.js";
import { withRules } from "../session/call-rules.js";
import { findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { ENDLESS, lotEnd } from "../sql/point-lot-end.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

interface PassKey {
  organizationId: string;
  passId: string;
}

/** Creates the storage module for points: the state of each pass, its lots and its ledger. */
export function pointModule(dialect: SqlDialect): LookUpModule<PointReads, PointWrites, PointLookUps> {
  const { db, isOneOf, listParameter } = dialect;
  const cards = createRowStatements(dialect, tables.pointCards);
  const lots = createRowStatements(dialect, tables.pointLots);
  const entries = createRowStatements(dialect, tables.pointEntries);

  const selectLots = (slot: Slot<PassKey>) =>
    db
      .selectFrom("loyalty_point_lots")
      .select(lots.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .orderBy("sequence");
  const selectOpenLots = prepare((slot: Slot<PassKey>) => selectLots(slot).where("remaining", ">", 0));
  const selectRemainingLots = prepare((slot: Slot<PassKey>) =>
    db
      .selectFrom("loyalty_point_lots")
      .select([
        "remaining",
        "usable_from as usableFrom",
        "expires_at as expiresAt",
        "grace_until as graceUntil",
      ])
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where("remaining", ">", 0)
      .orderBy("sequence"),
  );
  const selectLotsAt = prepare((slot: Slot<PassKey & { sequences: unknown }>) =>
    selectLots(slot).where(({ ref }) => isOneOf(ref("sequence"), slot("sequences"))),
  );
  const selectPurchaseLots = prepare((slot: Slot<PassKey & { purchaseId: string }>) =>
    selectLots(slot).where("purchase_id", "=", slot("purchaseId")),
  );

  type PassKeys = { organizationId: string; passIds: unknown };
  const findUsedPasses = prepare((slot: Slot<PassKeys>) =>
    db
      .selectFrom("loyalty_point_cards")
      .select("pass_id as passId")
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("pass_id"), slot("passIds"))),
  );
  const selectLotsEndingAfter = prepare((slot: Slot<PassKeys & { time: number }>) =>
    db
      .selectFrom("loyalty_point_lots")
      .select(lots.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("pass_id"), slot("passIds")))
      .where(({ eb }) => eb.or([eb("remaining", ">", 0), eb("expired", ">", 0)]))
      .where(lotEnd, ">", slot("time"))
      .orderBy("pass_id")
      .orderBy("sequence"),
  );

  const selectEntries = (slot: Slot<PassKey>) =>
    db
      .selectFrom("loyalty_point_entries")
      .select(entries.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"));
  const selectNewestEntries = prepare((slot: Slot<PassKey & { offset: number; limit: number }>) =>
    selectEntries(slot).orderBy("sequence", "desc").limit(slot("limit")).offset(slot("offset")),
  );
  const selectPurchaseEntries = prepare((slot: Slot<PassKey & { source: string; receipt: string }>) =>
    selectEntries(slot)
      .where("source", "=", slot("source"))
      .where("receipt", "=", slot("receipt"))
      .where("type", "in", ["earned", "returned"])
      .orderBy("sequence"),
  );
  const findReversal = prepare((slot: Slot<PassKey & { reversed: number }>) =>
    db
      .selectFrom("loyalty_point_entries")
      .select("sequence")
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where("reverses", "=", slot("reversed")),
  );

  // Leaves out the indexed column, because SQLite also writes an index whose values stay the same.
  const updateSums = prepare((slot: Slot<{ organizationId: string } & StoredPointCard>) =>
    db
      .updateTable("loyalty_point_cards")
      .set({
        debt: slot("debt"),
        earned: slot("earned"),
        spent: slot("spent"),
        expired: slot("expired"),
        entries: slot("entries"),
        last_earned_at: slot("lastEarnedAt"),
        updated_at: slot("updatedAt"),
      })
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where("next_change_at", "is not distinct from", slot("nextChangeAt")),
  );

  const findDuePasses = prepare((slot: Slot<{ organizationId: string; now: number; limit: number }>) =>
    db
      .selectFrom("loyalty_point_cards")
      .select("pass_id as passId")
      .where("organization_id", "=", slot("organizationId"))
      .where("next_change_at", "<=", slot("now"))
      .orderBy("next_change_at")
      .orderBy("pass_id")
      .limit(slot("limit")),
  );

  // Looks up each organization's earliest time. Reading due cards in order of time would read all cards of an organization whose
  // points change at the same moment before it found the next organization.
  const findDueOrganizations = prepare((slot: Slot<{ now: number; limit: number }>) =>
    db
      .selectFrom(({ selectFrom }) =>
        selectFrom("loyalty_organizations")
          .select(({ selectFrom }) => [
            "loyalty_organizations.organization_id as organizationId",
            selectFrom("loyalty_point_cards")
              .select("loyalty_point_cards.next_change_at")
              .whereRef("loyalty_point_cards.organization_id", "=", "loyalty_organizations.organization_id")
              .where("loyalty_point_cards.next_change_at", "is not", null)
              .orderBy("loyalty_point_cards.next_change_at")
              .limit(1)
              .$asScalar()
              .as("dueAt"),
          ])
          .as("due"),
      )
      .select("due.organizationId")
      .where("due.dueAt", "<=", slot("now"))
      .orderBy("due.dueAt")
      .orderBy("due.organizationId")
      .limit(slot("limit")),
  );

  const findExpiringHolders = prepare(
    (slot: Slot<ExpiringPoints & { organizationId: string; from: number; before: number; limit: number }>) =>
      db
        .selectFrom("loyalty_wallet_passes as passes")
        .select("passes.user_ordinal as ordinal")
        .distinct()
        .where("passes.organization_id", "=", slot("organizationId"))
        .where("passes.user_ordinal", ">=", slot("from"))
        .where("passes.user_ordinal", "<", slot("before"))
        // A plain comparison lets the database read all of the template's passes by their index at each call.
        .where(({ ref }) => sql<SqlBool>`${ref("passes.template_id")} || '' = ${slot("templateId")}`)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("loyalty_point_lots as lots")
              .select("lots.sequence")
              .whereRef("lots.organization_id", "=", "passes.organization_id")
              .whereRef("lots.pass_id", "=", "passes.id")
              .where("lots.remaining", ">", 0)
              .where("lots.usable_from", "<=", slot("usableAt"))
              .where(({ fn }) => fn.coalesce("lots.grace_until", "lots.expires_at"), ">", slot("usableAt"))
              .where(({ fn }) => fn.coalesce("lots.grace_until", "lots.expires_at"), ">", slot("after"))
              .where(({ fn }) => fn.coalesce("lots.grace_until", "lots.expires_at"), "<=", slot("until")),
          ),
        )
        .orderBy("ordinal")
        .limit(slot("limit")),
  );

  type SliceStart = { organizationId: string; after: string };
  const sumDebts = prepare((slot: Slot<SliceStart & { limit: number }>) =>
    db
      .selectFrom(({ selectFrom }) =>
        selectFrom("loyalty_point_cards")
          .select(["pass_id", "debt"])
          .where("organization_id", "=", slot("organizationId"))
          .where("pass_id", ">", slot("after"))
          .orderBy("pass_id")
          .limit(slot("limit"))
          .as("page"),
      )
      .innerJoin("loyalty_wallet_passes as passes", (join) =>
        join
          .onRef("passes.id", "=", "page.pass_id")
          .on("passes.organization_id", "=", slot("organizationId")),
      )
      .select(({ fn }) => [
        "passes.template_id as templateId",
        sql<number>`cast(sum(page.debt) as double precision)`.as("debt"),
        fn.max("page.pass_id").as("lastPassId"),
      ])
      .groupBy("passes.template_id")
      .orderBy("passes.template_id"),
  );
  const sumLots = prepare((slot: Slot<SliceStart & { last: string; now: number }>) =>
    db
      .selectFrom(({ selectFrom }) =>
        selectFrom("loyalty_point_lots as lots")
          .innerJoin("loyalty_wallet_passes as passes", (join) =>
            join
              .onRef("passes.organization_id", "=", "lots.organization_id")
              .onRef("passes.id", "=", "lots.pass_id"),
          )
          .select([
            "passes.template_id as templateId",
            lotEnd.as("endsAt"),
            sql<number>`case when lots.usable_from > ${slot("now")} then 1 else 0 end`.as("isPending"),
            "lots.remaining",
          ])
          .where("lots.organization_id", "=", slot("organizationId"))
          .where("lots.pass_id", ">", slot("after"))
          .where("lots.pass_id", "<=", slot("last"))
          // The database doesn't derive this range from the range of the lots.
          .where("passes.id", ">", slot("after"))
          .where("passes.id", "<=", slot("last"))
          .where("lots.remaining", ">", 0)
          .where(lotEnd, ">", slot("now"))
          .as("open"),
      )
      .select([
        "open.templateId",
        // Some drivers return a bigint as text.
        sql<number>`cast(${sql.ref("open.endsAt")} as double precision)`.as("endsAt"),
        "open.isPending",
        sql<number>`cast(sum(open.remaining) as double precision)`.as("points"),
      ])
      .groupBy(["open.templateId", "open.endsAt", "open.isPending"])
      .orderBy("open.templateId")
      .orderBy("open.endsAt")
      .orderBy("open.isPending"),
  );

  return {
    reads: {
      findPointCard: ({ session, organizationId }, passId) => cards.find(session, organizationId, { passId }),

      *openPointLots({ session, organizationId }, passId) {
        return (yield* session.all(selectOpenLots({ organizationId, passId }))).map(lots.toRow);
      },

      remainingPointLots: ({ session, organizationId }, passId) =>
        session.all(selectRemainingLots({ organizationId, passId })),

      *passesWithPoints({ session, organizationId }, passIds) {
        const rows = yield* session.all(findUsedPasses({ organizationId, passIds: listParameter(passIds) }));
        return new Set(rows.map(({ passId }) => passId));
      },

      *pointLotsEndingAfter({ session, organizationId }, passIds, time) {
        const rows = yield* session.all(
          selectLotsEndingAfter({ organizationId, passIds: listParameter(passIds), time }),
        );
        return rows.map(lots.toRow);
      },

      *pointLotsAt({ session, organizationId }, passId, sequences) {
        const rows = yield* session.all(
          selectLotsAt({ organizationId, passId, sequences: listParameter(sequences) }),
        );
        return rows.map(lots.toRow);
      },

      *pointLotsOfPurchase({ session, organizationId }, passId, purchaseId) {
        return (yield* session.all(selectPurchaseLots({ organizationId, passId, purchaseId }))).map(
          lots.toRow,
        );
      },

      *listPointEntries({ session, organizationId }, passId, offset, limit) {
        const rows = yield* session.all(selectNewestEntries({ organizationId, passId, offset, limit }));
        return rows.map(entries.toRow);
      },

      *pointEntriesOfPurchase({ session, organizationId }, passId, source, receipt) {
        const rows = yield* session.all(selectPurchaseEntries({ organizationId, passId, source, receipt }));
        return rows.map(entries.toRow);
      },

      findPointEntry: ({ session, organizationId }, passId, sequence) =>
        entries.find(session, organizationId, { passId, sequence }),

      *isPointEntryReversed({ session, organizationId }, passId, reversed) {
        return (yield* findFirst(session, findReversal({ organizationId, passId, reversed }))) !== null;
      },

      *passesWithDuePoints({ session, organizationId }, now, limit) {
        const rows = yield* session.all(findDuePasses({ organizationId, now, limit }));
        return rows.map(({ passId }) => passId);
      },

      *holdersOfExpiringPoints({ session, organizationId }, points, from, before, limit) {
        const holders = findExpiringHolders({ organizationId, ...points, from, before, limit });
        return (yield* session.all(holders)).map(({ ordinal }) => ordinal);
      },

      sumPoints: withRules(
        { needsSnapshot: true },
        function* ({ session, organizationId }, now, after, limit): Step<RemainingPoints> {
          const cards = yield* session.all(sumDebts({ organizationId, after, limit }));
          const debts = cards.map(({ templateId, debt }) => ({ templateId, debt }));
          const last = cards.map(({ lastPassId }) => lastPassId).reduce(findLaterText, "");
          if (last === "") return { lastPassId: null, debts, lots: [] };
          const rows = yield* session.all(sumLots({ organizationId, after, last, now }));
          const sums = rows.map(({ templateId, endsAt, isPending, points }) => ({
            templateId,
            endsAt: endsAt === ENDLESS ? null : endsAt,
            isPending: isPending === 1,
            points,
          }));
          return { lastPassId: last, debts, lots: sums };
        },
      ),
    },
    lookUps: {
      *organizationsWithDuePoints({ session }, now, limit) {
        const rows = yield* session.all(findDueOrganizations({ now, limit }));
        return rows.map(({ organizationId }) => organizationId);
      },
    },
    writes: {
      *recordPoints({ session, buffer, organizationId }, { card, lots: changedLots, entries: newEntries }) {
        // A known card that changes alone changes nothing that is kept in memory of customers.
        const isCardOnly = changedLots.length === 0 && newEntries.length === 0 && card.entries > 0;
        if (!isCardOnly) buffer.getChangesWithoutEvent(organizationId).addChange(card.passId);
        const statements = [
          ...changedLots.map((lot) => lots.put(organizationId, lot)),
          ...newEntries.map((entry) => entries.insert(organizationId, entry)),
        ];
        const isStored = (yield* session.change(updateSums({ organizationId, ...card }))) > 0;
        const allStatements = isStored ? statements : [cards.put(organizationId, card), ...statements];
        for (const batch of splitIntoBatches(allStatements)) yield* session.changeEach(batch);
      },
    },
  };
}

function findLaterText(a: string, b: string): string {
  return compareTexts(a, b) < 0 ? b : a;
}
