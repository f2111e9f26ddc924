import { sql } from "kysely";
import {
  type CountedDay,
  type DayCountReads,
  type DayCountWrites,
  noCounts,
  sumOfCounts,
} from "../../../src/storage/day-counts.js";
import type { Functions } from "../../../src/storage/methods.js";
import { called } from "../session/call-rules.js";
import { first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { Changing } from "./pending.js";

/*
 * The newest day of an organization is kept in its row, which most transactions write anyway. So counting takes a
 * statement of its own only when another day begins.
 */

export function dayCountReads({ db }: SqlDialect): Functions<DayCountReads, Reading> {
  const between = prepare((slot: Slot<{ organizationId: string; from: number; to: number }>) =>
    db
      .selectFrom("loyalty_day_counts")
      .select([
        "day",
        "members",
        "cards",
        "stamps",
        "rewards_earned as rewardsEarned",
        "rewards_redeemed as rewardsRedeemed",
        "installs_apple as installsApple",
        "installs_google as installsGoogle",
        "installs_other as installsOther",
      ])
      .where("organization_id", "=", slot("organizationId"))
      .where("day", ">=", slot("from"))
      .where("day", "<=", slot("to"))
      .orderBy("day"),
  );

  const sumsBefore = prepare((slot: Slot<{ organizationId: string; day: number }>) =>
    db
      .selectFrom("loyalty_day_counts")
      .select([
        total("members").as("members"),
        total("cards").as("cards"),
        total("stamps").as("stamps"),
        total("rewards_earned").as("rewardsEarned"),
        total("rewards_redeemed").as("rewardsRedeemed"),
        total("installs_apple").as("installsApple"),
        total("installs_google").as("installsGoogle"),
        total("installs_other").as("installsOther"),
      ])
      .where("organization_id", "=", slot("organizationId"))
      .where("day", "<", slot("day")),
  );

  const openDay = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select("open_day as openDay")
      .where("organization_id", "=", slot("organizationId")),
  );

  return {
    countedDays: called(
      { readsPending: true, isOneState: true },
      function* ({ session }, organizationId, from, to) {
        const before = (yield* first(session, sumsBefore({ organizationId, day: from }))) ?? noCounts;
        const days = yield* session.all(between({ organizationId, from, to }));
        const newest = dayIn((yield* first(session, openDay({ organizationId })))?.openDay ?? null);
        if (newest === null || newest.day > to) return { before, days };
        if (newest.day < from) return { before: sumOfCounts(before, newest), days };
        return { before, days: withDay(days, newest) };
      },
    ),
  };
}

export function dayCountWrites({ db }: SqlDialect): Functions<DayCountWrites, Changing> {
  const add = prepare((slot: Slot<CountedDay & { organizationId: string }>) => {
    const columns = {
      members: slot("members"),
      cards: slot("cards"),
      stamps: slot("stamps"),
      rewards_earned: slot("rewardsEarned"),
      rewards_redeemed: slot("rewardsRedeemed"),
      installs_apple: slot("installsApple"),
      installs_google: slot("installsGoogle"),
      installs_other: slot("installsOther"),
    };
    return db
      .insertInto("loyalty_day_counts")
      .values({ organization_id: slot("organizationId"), day: slot("day"), ...columns })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "day"]).doUpdateSet(({ ref }) => ({
          members: sql`${ref("loyalty_day_counts.members")} + ${ref("excluded.members")}`,
          cards: sql`${ref("loyalty_day_counts.cards")} + ${ref("excluded.cards")}`,
          stamps: sql`${ref("loyalty_day_counts.stamps")} + ${ref("excluded.stamps")}`,
          rewards_earned: sql`${ref("loyalty_day_counts.rewards_earned")} + ${ref("excluded.rewards_earned")}`,
          rewards_redeemed: sql`${ref("loyalty_day_counts.rewards_redeemed")} + ${ref("excluded.rewards_redeemed")}`,
          installs_apple: sql`${ref("loyalty_day_counts.installs_apple")} + ${ref("excluded.installs_apple")}`,
          installs_google: sql`${ref("loyalty_day_counts.installs_google")} + ${ref("excluded.installs_google")}`,
          installs_other: sql`${ref("loyalty_day_counts.installs_other")} + ${ref("excluded.installs_other")}`,
        })),
      );
  });

  return {
    *countOnDay({ session, pending }, organizationId, day, counts) {
      const { openDay: newest } = yield* pending.countersOf(organizationId);
      if (newest !== null && day < newest.day) {
        yield* session.change(add({ organizationId, day, ...sumOfCounts(noCounts, counts) }));
        return yield* pending.count(organizationId, {});
      }
      if (newest !== null && day > newest.day) yield* session.change(add({ organizationId, ...newest }));
      const before = newest?.day === day ? newest : noCounts;
      const openDay: CountedDay = { day, ...sumOfCounts(before, counts) };
      return yield* pending.count(organizationId, { openDay });
    },
  };
}

function total(column: string) {
  return sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as double precision)`;
}

function dayIn(openDay: string | null): CountedDay | null {
  return openDay === null ? null : JSON.parse(openDay);
}

/** The days with one more, which may be among them already. */
function withDay(days: readonly CountedDay[], added: CountedDay): CountedDay[] {
  const same = days.find(({ day }) => day === added.day) ?? noCounts;
  const others = days.filter(({ day }) => day !== added.day);
  return [...others, { day: added.day, ...sumOfCounts(same, added) }].sort((a, b) => a.day - b.day);
}
