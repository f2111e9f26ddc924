import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { MAX_STORED_VISITS } from "../src/storage/passes.js";
import { hasPass, ORGANIZATION, passId } from "./customers.js";
import { copyFile, createOurFile } from "./our-file.js";

/** The current time of all queries. */
export const NOW = Date.UTC(2026, 6, 1, 12);
const DAY_MS = 86_400_000;
const YEAR = 365;
const MAX_STAMPS = 10;

const cities = ["Vienna", "Graz", "Linz", "Salzburg", "Innsbruck"];

/**
 * The library's file with this many users, whose cards were used in the last year: eleven visits each on average, in the ledger
 * and on the card, written as fast as the database takes them.
 */
export async function createBehaviorFile(folder: string, users: number): Promise<string> {
  const file = join(folder, `behavior-${users}.db`);
  if (existsSync(file)) return file;
  copyFile(await createOurFile(folder, users), folder, `behavior-${users}`);
  const db = new Database(file);
  db.pragma("foreign_keys = off");
  db.pragma("synchronous = off");
  const enter = db.prepare(
    `insert into loyalty_stamp_entries (organization_id, pass_id, sequence, id, type, delta, stamps_before, stamps_after, completions, is_imported, created_at)
     values (?, ?, ?, ?, 'added', 1, ?, ?, ?, 0, ?)`,
  );
  const updatePass = db.prepare(
    `update loyalty_wallet_passes set current_stamps = ?, times_completed = ?, rewards_available = ?,
       total_stamps_collected = ?, last_stamp_at = ?, entries = ?, visits = ? where organization_id = ? and id = ?`,
  );
  const live = db.prepare("update loyalty_users set metadata = ? where organization_id = ? and ordinal = ?");
  const random = createRandom();
  db.transaction(() => {
    for (let ordinal = 0; ordinal < users; ordinal += 1) {
      live.run(JSON.stringify({ city: cities[Math.floor(random() * cities.length)] }), ORGANIZATION, ordinal);
      if (!hasPass(ordinal)) continue;
      const id = passId(ordinal);
      const times = createVisits(random);
      for (const [at, time] of times.entries()) {
        const after = (at + 1) % MAX_STAMPS;
        enter.run(
          ORGANIZATION,
          id,
          at + 1,
          `ste_${ordinal}_${at}`,
          at % MAX_STAMPS,
          after,
          after === 0 ? 1 : 0,
          time,
        );
      }
      const card = createCard(times);
      updatePass.run(
        ...[card.currentStamps, card.timesCompleted, card.rewardsAvailable, card.totalStampsCollected],
        ...[card.lastStampAt, card.entries, card.visits, ORGANIZATION, id],
      );
    }
  })();
  db.close();
  return file;
}

/** When a card was used, oldest first: eleven times on average. */
function createVisits(random: () => number): number[] {
  const count = Math.floor(random() * 23);
  const reach = 1 + Math.floor(random() * YEAR);
  const times = Array.from({ length: count }, () => NOW - Math.floor(random() * reach * DAY_MS));
  return times.sort((one, other) => one - other);
}

/** The card after these visits. */
function createCard(times: readonly number[]) {
  const full = Math.floor(times.length / MAX_STAMPS);
  return {
    currentStamps: times.length % MAX_STAMPS,
    timesCompleted: full,
    rewardsAvailable: full,
    totalStampsCollected: times.length,
    lastStampAt: times.at(-1) ?? null,
    entries: times.length,
    visits: JSON.stringify(times.toReversed().slice(0, MAX_STORED_VISITS)),
  };
}

/**
 * A copy of {@link createBehaviorFile} with what the best statements need and the library does not: indexes, and table
 * statistics, which would make SQLite plan some of the library's statements differently at each run.
 */
export function createStatementsFile(file: string, folder: string): string {
  const copy = copyFile(file, folder, "statements");
  const db = new Database(copy);
  db.exec(`
    create index bench_last_stamp on loyalty_wallet_passes (organization_id, template_id, last_stamp_at, user_ordinal);
    create index bench_entries on loyalty_stamp_entries (organization_id, type, created_at, pass_id);
    create index bench_tag on loyalty_user_tag_assignments (organization_id, tag_ordinal, user_ordinal);
    create index bench_city on loyalty_users (organization_id, json_extract(metadata, '$.city'), ordinal);
    analyze;`);
  db.close();
  return copy;
}

/** Numbers from 0 to below 1, from a fixed linear congruential generator. */
export function createRandom(): () => number {
  let state = 20_260_701;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
