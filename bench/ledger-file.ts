import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { createRandom, NOW } from "./behavior-file.js";
import { hasPass, ORGANIZATION, userId } from "./customers.js";
import { copyFile, createOurFile } from "./our-file.js";

export const POINTS_TEMPLATE = "tpl_points";

const DAY_MS = 86_400_000;
const MAX_LOTS = 4;
const MAX_PURCHASES = 10;

export function pointPassId(ordinal: number): string {
  return `wp_points_${ordinal}`;
}

/**
 * The library's file with this many users, where every second one has a card with points in up to four lots, and up to ten
 * purchases of the last year. The rows are written as fast as the database takes them, without ledgers and effects, which
 * segments don't read.
 */
export async function createLedgerFile(folder: string, users: number): Promise<string> {
  const file = join(folder, `ledger-${users}.db`);
  if (existsSync(file)) return file;
  copyFile(await createOurFile(folder, users), folder, `ledger-${users}`);
  const db = new Database(file);
  db.pragma("foreign_keys = off");
  db.pragma("synchronous = off");
  db.prepare(
    `insert into loyalty_templates (organization_id, id, name, type, max_stamps, points, program_version, created_at, updated_at)
     values (?, ?, 'Points', 'LOYALTY_CARD', null, '{"unit":null,"pendingDays":0,"expiry":null,"graceDays":0}', 1, 0, 0)`,
  ).run(ORGANIZATION, POINTS_TEMPLATE);
  const addPass = db.prepare(
    `insert into loyalty_wallet_passes (organization_id, id, user_ordinal, template_id, code, is_preview_pass, created_at, updated_at)
     values (?, ?, ?, ?, ?, 0, 0, 0)`,
  );
  const addCard = db.prepare(
    `insert into loyalty_point_cards (organization_id, pass_id, debt, earned, spent, expired, entries, updated_at)
     values (?, ?, 0, ?, 0, 0, ?, 0)`,
  );
  const addLot = db.prepare(
    `insert into loyalty_point_lots
     (organization_id, pass_id, sequence, points, remaining, expired, usable_from, expires_at, created_at)
     values (?, ?, ?, ?, ?, 0, ?, ?, ?)`,
  );
  const addPurchase = db.prepare(
    `insert into loyalty_purchases (organization_id, source, receipt, id, user_id, "references", at, currency, lines,
     remaining_amount, paid_with_points, is_confirmed, is_frozen, created_at, updated_at)
     values (?, 'till', ?, ?, ?, '[]', ?, 'EUR', ?, ?, 0, 0, 0, ?, ?)`,
  );
  const random = createRandom();
  const daysAgo = (days: number) => NOW - Math.floor(random() * days * DAY_MS);
  db.transaction(() => {
    for (let ordinal = 0; ordinal < users; ordinal += 1) {
      if (!hasPass(ordinal)) continue;
      const passId = pointPassId(ordinal);
      addPass.run(ORGANIZATION, passId, ordinal, POINTS_TEMPLATE, `points-${ordinal}`);
      const lots = Math.floor(random() * (MAX_LOTS + 1));
      if (lots > 0) addCard.run(ORGANIZATION, passId, lots * 50, lots);
      for (let lot = 1; lot <= lots; lot += 1) {
        const points = 1 + Math.floor(random() * 100);
        const createdAt = daysAgo(365);
        const expiresAt = Math.floor((createdAt + 380 * DAY_MS) / DAY_MS) * DAY_MS;
        addLot.run(...[ORGANIZATION, passId, lot, points, points, createdAt, expiresAt, createdAt]);
      }
    }
    // In the order of time, as tills write them.
    const purchases = Math.floor((users / 2) * (MAX_PURCHASES / 2));
    for (let at = 0; at < purchases; at += 1) {
      const ordinal = Math.floor(random() * (users / 2)) * 2;
      const time = NOW - Math.floor(((purchases - at) / purchases) * 365 * DAY_MS);
      const amount = 100 + Math.floor(random() * 5_000);
      addPurchase.run(
        ...[ORGANIZATION, String(at), `pur_${at}`, userId(ordinal), time],
        ...[createLines(amount), amount, time, time],
      );
    }
  })();
  db.close();
  return file;
}

/** Three lines that add up to an amount. */
function createLines(amount: number): string {
  const first = Math.floor(amount / 2);
  const amounts = [first, amount - first, 0];
  return JSON.stringify(
    amounts.map((each, at) => ({
      ...{ id: String(at), sku: `sku-${at}`, category: "coffee", name: "Cappuccino", kind: "goods" },
      ...{ quantity: 1, amount: each, tax: 0, returned: { quantity: 0, amount: 0 } },
    })),
  );
}
