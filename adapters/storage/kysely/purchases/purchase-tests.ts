import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorTest } from "../../../../src/storage/behavior.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import { prepare, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { ENDLESS, endOfLot } from "../sql/point-lot-end.js";

/** Maximum number of cards or customers per statement, because a statement blocks the process until it is done. */
const ROWS = 5_000;

type PointTest = Extract<BehaviorTest, { readonly of: "points" }>;
type PurchaseTest = Extract<BehaviorTest, { readonly of: "spent" | "purchases" }>;

/** A test of points or purchases. */
export type LedgerTest = PointTest | PurchaseTest;

export function isLedgerTest(test: BehaviorTest): test is LedgerTest {
  return test.of === "points" || test.of === "spent" || test.of === "purchases";
}

/**
 * Creates a function that finds the users who pass a test of points or purchases. It adds up the rows in the tables instead of using
 * columns, because points become usable and expire, and purchases leave a range of days, without an event.
 */
export function preparePurchaseTests({ db }: SqlDialect) {
  type Points = {
    organizationId: string;
    templateId: string;
    after: string;
    usableBy: number;
    endsAfter: number;
    endsBy: number;
  };
  const pointsOfCards = prepare((slot: Slot<Points>) =>
    db
      .selectFrom("loyalty_wallet_passes as pass")
      .leftJoin("loyalty_point_cards as card", (join) =>
        join.onRef("card.organization_id", "=", "pass.organization_id").onRef("card.pass_id", "=", "pass.id"),
      )
      .select(({ selectFrom }) => [
        "pass.id as passId",
        "pass.user_ordinal as ordinal",
        "card.entries",
        selectFrom("loyalty_point_lots as lot")
          .select(
            sql<number>`cast(coalesce(sum(remaining + case when grace_until is null and expires_at > ${slot("usableBy")} then lot.expired else 0 end), 0) as double precision)`.as(
              "sum",
            ),
          )
          .whereRef("lot.organization_id", "=", "pass.organization_id")
          .whereRef("lot.pass_id", "=", "pass.id")
          .where(({ eb, ref }) =>
            eb.or([
              eb("usable_from", "<=", slot("usableBy")),
              eb("usable_from", "<=", ref("lot.created_at")),
            ]),
          )
          .where(endOfLot, ">", slot("endsAfter"))
          .where(endOfLot, "<=", slot("endsBy"))
          .$asScalar()
          .$notNull()
          .as("points"),
      ])
      .where("pass.organization_id", "=", slot("organizationId"))
      .where("pass.template_id", "=", slot("templateId"))
      .where("pass.id", ">", slot("after"))
      .orderBy("pass.id")
      .limit(ROWS),
  );

  type Purchases = { organizationId: string; after: string; since: number };
  const purchasesOfUsers = (currency: "any" | "one") =>
    prepare((slot: Slot<Purchases & { currency: string }>) =>
      db
        .selectFrom(({ selectFrom }) => {
          const counted = selectFrom("loyalty_purchases")
            .select([
              "user_id",
              sql<number>`cast(sum(remaining_amount) as double precision)`.as("amount"),
              sql<number>`cast(count(*) as double precision)`.as("purchases"),
            ])
            .where("organization_id", "=", slot("organizationId"))
            .where("user_id", "is not", null)
            .where("user_id", ">", slot("after"))
            .where("at", ">=", slot("since"))
            .where("remaining_amount", "is not", null)
            .groupBy("user_id")
            .orderBy("user_id")
            .limit(ROWS);
          return (currency === "any" ? counted : counted.where("currency", "=", slot("currency"))).as("sums");
        })
        .innerJoin("loyalty_users", (join) =>
          join
            .onRef("loyalty_users.id", "=", "sums.user_id")
            .on("loyalty_users.organization_id", "=", slot("organizationId")),
        )
        .select(["loyalty_users.id as userId", "loyalty_users.ordinal", "sums.amount", "sums.purchases"])
        .orderBy("loyalty_users.id"),
    );
  const purchases = { any: purchasesOfUsers("any"), one: purchasesOfUsers("one") };

  function* matchPoints(session: ReadSession, organizationId: string, test: PointTest): Step<Bitmap> {
    const { templateId, countsUnused, usableBy, endsAfter } = test;
    const endsBy = test.endsBy ?? ENDLESS;
    const matched = new Set<number>();
    for (let after = ""; ; ) {
      const page = { organizationId, templateId, after, usableBy, endsAfter, endsBy };
      const rows = yield* session.all(pointsOfCards(page));
      for (const { ordinal, entries, points } of rows)
        if ((countsUnused || entries !== null) && isWithin(points, test)) matched.add(ordinal);
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS) return Bitmap.of(matched);
      after = last.passId;
    }
  }

  function* matchPurchases(
    session: ReadSession,
    organizationId: string,
    test: PurchaseTest,
    users: Bitmap,
  ): Step<Bitmap> {
    const { since } = test;
    const query =
      test.of === "spent"
        ? (after: string) => purchases.one({ organizationId, since, currency: test.currency, after })
        : (after: string) => purchases.any({ organizationId, since, currency: "", after });
    const inside: number[] = [];
    const outside: number[] = [];
    for (let after = ""; ; ) {
      const rows = yield* session.all(query(after));
      for (const { ordinal, amount, purchases } of rows) {
        const isInside = isWithin(test.of === "spent" ? amount : purchases, test);
        (isInside ? inside : outside).push(ordinal);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS) break;
      after = last.userId;
    }
    // Users without purchases have 0.
    return isWithin(0, test) ? users.without(Bitmap.of(outside)) : users.and(Bitmap.of(inside));
  }

  return function* (
    session: ReadSession,
    organizationId: string,
    test: LedgerTest,
    users: Bitmap,
  ): Step<Bitmap> {
    if (test.of === "points") return users.and(yield* matchPoints(session, organizationId, test));
    return yield* matchPurchases(session, organizationId, test, users);
  };
}

function isWithin(
  value: number,
  { min, max }: { readonly min: number; readonly max: number | null },
): boolean {
  return value >= min && (max === null || value <= max);
}
