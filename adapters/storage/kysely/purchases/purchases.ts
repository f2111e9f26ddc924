import { type NotNull, type SqlBool, sql } from "kysely";
import type { PurchaseReads, PurchaseWrites, StoredPurchase } from "../../../../src/storage/purchases.js";
import type { PortModule } from "../change/commit-buffer.js";
import { withRules } from "../session/call-rules.js";
import { findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

/** The columns that a list can be narrowed by. */
type FilterColumn = "userId" | "passId" | "source";

interface ListParameters extends Record<FilterColumn, string> {
  organizationId: string;
  from: number;
  to: number;
  offset: number;
  limit: number;
}

/** Before and after all times. */
const ALL_TIME = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** Creates the storage module for purchases, their effects on passes, and their returns. */
export function purchaseModule(dialect: SqlDialect): PortModule<PurchaseReads, PurchaseWrites> {
  const { db, isOneOf, listParameter } = dialect;
  const rows = createRowStatements(dialect, tables.purchases);
  const effects = createRowStatements(dialect, tables.purchaseEffects);
  const returns = createRowStatements(dialect, tables.purchaseReturns);

  const createListing = (filters: ReadonlySet<FilterColumn>) => {
    const selectListed = (slot: Slot<ListParameters>) => {
      let query = db
        .selectFrom("loyalty_purchases")
        .where("organization_id", "=", slot("organizationId"))
        .where("at", ">=", slot("from"))
        .where("at", "<", slot("to"));
      if (filters.has("userId")) query = query.where("user_id", "=", slot("userId"));
      // A plain comparison lets the database read and sort all purchases of the source by their key.
      if (filters.has("source"))
        query = query.where(({ ref }) => sql<SqlBool>`${ref("source")} || '' = ${slot("source")}`);
      if (!filters.has("passId")) return query;
      // A pass never changes hands, so its purchases are among its holder's.
      return query
        .where("user_id", "=", ({ selectFrom }) =>
          selectFrom("loyalty_purchase_effects as any_effect")
            .select("any_effect.user_id")
            .where("any_effect.organization_id", "=", slot("organizationId"))
            .where("any_effect.pass_id", "=", slot("passId"))
            .limit(1),
        )
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("loyalty_purchase_effects as effect")
              .select("effect.position")
              .whereRef("effect.organization_id", "=", "loyalty_purchases.organization_id")
              .whereRef("effect.purchase_id", "=", "loyalty_purchases.id")
              .where("effect.pass_id", "=", slot("passId")),
          ),
        );
    };
    return {
      page: prepare((slot: Slot<ListParameters>) =>
        selectListed(slot)
          .select(rows.columns)
          .orderBy("at", "desc")
          .orderBy("id", "desc")
          .limit(slot("limit"))
          .offset(slot("offset")),
      ),
      total: prepare((slot: Slot<ListParameters>) =>
        selectListed(slot).select(({ fn }) => fn.countAll<number>().as("total")),
      ),
    };
  };
  const listings = new Map<string, ReturnType<typeof createListing>>();
  const getOrCreateListing = (filters: ReadonlySet<FilterColumn>) => {
    const key = [...filters].join();
    const listing = listings.get(key) ?? createListing(filters);
    listings.set(key, listing);
    return listing;
  };

  const selectBefore = prepare(
    (slot: Slot<{ organizationId: string; at: number; id: string; limit: number }>) =>
      db
        .selectFrom("loyalty_purchases")
        .select(rows.columns)
        .where("organization_id", "=", slot("organizationId"))
        .where("at", "<=", slot("at"))
        .where(({ eb, or }) => or([eb("at", "<", slot("at")), eb("id", "<", slot("id"))]))
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .limit(slot("limit")),
  );

  type Remaining = { organizationId: string; userIds: unknown; from: number };
  const selectRemaining = prepare((slot: Slot<Remaining>) =>
    db
      .selectFrom("loyalty_purchases")
      .select(["user_id as userId", "at", "currency", "remaining_amount as amount"])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("user_id"), slot("userIds")))
      .where("at", ">=", slot("from"))
      .where("user_id", "is not", null)
      .where("remaining_amount", "is not", null)
      .$narrowType<{ userId: NotNull; amount: NotNull }>()
      .orderBy("at", "desc")
      .orderBy("id", "desc"),
  );

  const selectEffects = prepare((slot: Slot<{ organizationId: string; ids: unknown }>) =>
    db
      .selectFrom("loyalty_purchase_effects")
      .select(effects.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("purchase_id"), slot("ids")))
      .orderBy("position")
      .orderBy("purchase_id")
      .orderBy("pass_id"),
  );

  type Units = { organizationId: string; passId: string; from: number; until: number; except: string };
  const sumUnits = prepare((slot: Slot<Units>) =>
    db
      .selectFrom("loyalty_purchase_effects")
      .select(sql<number>`cast(coalesce(sum(units), 0) as double precision)`.as("units"))
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where("at", ">=", slot("from"))
      .where("at", "<", slot("until"))
      .where("purchase_id", "<>", slot("except")),
  );

  const selectVisits = prepare((slot: Slot<{ organizationId: string; passId: string; limit: number }>) =>
    db
      .selectFrom("loyalty_purchase_effects")
      .select("at")
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where("unit", "=", "stamps")
      .where(sql<boolean>`units + not_taken > 0`)
      .orderBy("at", "desc")
      .limit(slot("limit")),
  );

  const selectReturns = prepare((slot: Slot<{ organizationId: string; purchaseId: string }>) =>
    db
      .selectFrom("loyalty_purchase_returns")
      .select(returns.columns)
      .where("organization_id", "=", slot("organizationId"))
      .where("purchase_id", "=", slot("purchaseId"))
      .orderBy("created_at")
      .orderBy("return_id"),
  );

  return {
    reads: {
      findPurchase: ({ session, organizationId }, source, receipt) =>
        rows.find(session, organizationId, { source, receipt }),

      listPurchases: withRules(
        { needsSnapshot: true },
        function* ({ session, organizationId }, { userId, passId, source, from, to }, offset, limit) {
          const filters = new Set<FilterColumn>();
          if (userId !== null) filters.add("userId");
          if (passId !== null) filters.add("passId");
          if (source !== null) filters.add("source");
          const { page, total } = getOrCreateListing(filters);
          const parameters = {
            organizationId,
            userId: userId ?? "",
            passId: passId ?? "",
            source: source ?? "",
            from: from ?? ALL_TIME.from,
            to: to ?? ALL_TIME.to,
            offset,
            limit,
          };
          const items = yield* session.all(page(parameters));
          const count = yield* findFirst(session, total(parameters));
          return { items: items.map(rows.toRow), total: Number(count?.total ?? 0) };
        },
      ),

      *purchasesBefore({ session, organizationId }, before, limit) {
        const { at, id } = before ?? { at: ALL_TIME.to, id: "" };
        return (yield* session.all(selectBefore({ organizationId, at, id, limit }))).map(rows.toRow);
      },

      *remainingPurchasesOf({ session, organizationId }, userIds, from) {
        return [
          ...(yield* session.all(selectRemaining({ organizationId, userIds: listParameter(userIds), from }))),
        ];
      },

      *effectsOfPurchases({ session, organizationId }, purchaseIds) {
        const rows = yield* session.all(selectEffects({ organizationId, ids: listParameter(purchaseIds) }));
        return rows.map(effects.toRow);
      },

      *unitsOfPurchases({ session, organizationId }, passId, from, until, except) {
        return (
          (yield* findFirst(session, sumUnits({ organizationId, passId, from, until, except })))?.units ?? 0
        );
      },

      *purchaseVisits({ session, organizationId }, passId, limit) {
        return (yield* session.all(selectVisits({ organizationId, passId, limit }))).map(({ at }) => at);
      },

      findPurchaseReturn: ({ session, organizationId }, purchaseId, returnId) =>
        returns.find(session, organizationId, { purchaseId, returnId }),

      *returnsOfPurchase({ session, organizationId }, purchaseId) {
        return (yield* session.all(selectReturns({ organizationId, purchaseId }))).map(returns.toRow);
      },
    },
    writes: {
      *putPurchase({ session, buffer, organizationId }, purchase, before) {
        yield* buffer.updateCounters(organizationId, {});
        const changes = buffer.getChangesWithoutEvent(organizationId);
        for (const userId of listAffectedUsers(purchase, before)) changes.addChange(userId);
        yield* session.change(rows.put(organizationId, purchase));
      },

      *putPurchaseEffect({ session, organizationId }, effect) {
        yield* session.change(effects.put(organizationId, effect));
      },

      *putPurchaseReturn({ session, buffer, organizationId }, purchaseReturn) {
        yield* buffer.updateCounters(organizationId, {});
        yield* session.change(returns.put(organizationId, purchaseReturn));
      },
    },
  };
}

/** Returns the IDs of the users whose purchases a change makes more, fewer or different ones for segments. */
function listAffectedUsers(purchase: StoredPurchase, before: StoredPurchase | null): readonly string[] {
  const isSame =
    purchase.userId === before?.userId &&
    purchase.at === before.at &&
    purchase.currency === before.currency &&
    purchase.remainingAmount === before.remainingAmount;
  return isSame ? [] : [purchase.userId, before?.userId].filter((userId) => typeof userId === "string");
}
