import type Database from "better-sqlite3";
import { v7 } from "uuid";
import { hashIdentity } from "../src/base/secrets/idempotency-seal.js";
import { UTC } from "../src/base/values/calendar-days.js";
import { computeExpiry, computeUsableFrom } from "../src/points/dates.js";
import { pointEntryIdOf } from "../src/points/schema.js";
import { EARNING, type NewPurchase, SOURCE, TERMS } from "./club.js";
import { ORGANIZATION } from "./customers.js";
import { HandWritten, placeholders } from "./hand-written.js";
import type { HandWrittenChange } from "./hand-written-change.js";

interface PassRow {
  readonly id: string;
  readonly user_id: string;
  readonly template_id: string;
  readonly program_version: number;
}

interface CardRow {
  readonly debt: number;
  readonly earned: number;
  readonly spent: number;
  readonly expired: number;
  readonly entries: number;
  readonly last_earned_at: number | null;
  readonly next_change_at: number | null;
}

interface LotRow {
  readonly sequence: number;
  readonly remaining: number;
  readonly expires_at: number | null;
  readonly purchase_id: string | null;
}

interface Line {
  readonly id: string;
  readonly quantity: number;
  readonly amount: number;
  readonly returned: { readonly quantity: number; readonly amount: number };
}

interface PurchaseRow {
  readonly id: string;
  readonly user_id: string;
  readonly at: number;
  readonly lines: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** An entry of a point ledger, as its row and its event show it. */
interface Entry {
  readonly type: string;
  readonly points: number;
  /** The sequence of each lot, and the points that it got or lost. */
  readonly lots: readonly (readonly [lot: number, points: number])[];
  readonly usableFrom: number | null;
  readonly expiresAt: number | null;
  readonly receipt: string | null;
  readonly at: number;
}

const EMPTY_CARD: CardRow = {
  ...{ debt: 0, earned: 0, spent: 0, expired: 0, entries: 0 },
  ...{ last_earned_at: null, next_change_at: null },
};

/** Writes the same rows for purchases and points as the library, for a program of one rule without bonuses and limits. */
export class PurchasesByHand extends HandWritten {
  readonly #statements = preparePurchases(this.db);

  put(purchase: NewPurchase): void {
    this.putAll([purchase]);
  }

  /** All of them in one transaction. */
  putAll(purchases: readonly NewPurchase[]): void {
    this.change((change) => {
      for (const purchase of purchases) this.#put(change, purchase);
    });
  }

  spend(passId: string, points: number): void {
    this.spendAll([passId], points);
  }

  /** From each of them, all in one transaction. */
  spendAll(passIds: readonly string[], points: number): void {
    this.change((change) => {
      for (const passId of passIds) this.#spend(change, passId, points);
    });
  }

  #put(change: HandWrittenChange, { receipt, input }: NewPurchase): void {
    const { addPurchase, addEffect, addLot, purchase: findPurchase } = this.#statements;
    const { now } = change;
    if (findPurchase.get(ORGANIZATION, SOURCE, receipt) !== undefined) throw new Error("it is recorded");
    const pass = this.#pass(input.walletPassId);
    const lines = input.lines.map((line, at) => ({
      ...{
        id: String(at),
        sku: line.sku ?? null,
        category: line.category ?? null,
        name: line.name ?? null,
      },
      ...{ kind: "goods", quantity: line.quantity ?? 1, amount: line.amount, tax: line.tax ?? 0 },
      returned: { quantity: 0, amount: 0 },
    }));
    const total = sumRemaining(lines);
    const points = countPoints(total);
    const id = `pur_${v7()}`;
    const references = [`${hashIdentity([id, "walletPassId", pass.id])} ${pass.user_id}`];
    addPurchase.run(
      ...[ORGANIZATION, SOURCE, receipt, id, null, pass.user_id, JSON.stringify(references), now],
      ...[input.currency, JSON.stringify(lines), total, 0, null, 0, 0, now, now],
    );
    addEffect.run(
      ...[ORGANIZATION, id, pass.id, pass.user_id, pass.template_id, pass.program_version, "points"],
      ...[null, points, 0, 0, null, 0, now],
    );
    const card = this.#statements.card.get(ORGANIZATION, pass.id) ?? EMPTY_CARD;
    const lots = this.#statements.lots.all(ORGANIZATION, pass.id);
    const sequence = card.entries + 1;
    const [usableFrom, expiresAt] = [computeUsableFrom(TERMS, UTC, now), computeExpiry(TERMS, UTC, now)];
    addLot.run(...[ORGANIZATION, pass.id, sequence, points, points, 0, usableFrom, expiresAt, null, id, now]);
    const parts = [[sequence, points] as const];
    const entry = { type: "earned", points, lots: parts, usableFrom, expiresAt, receipt };
    const earned = { ...card, earned: card.earned + points, last_earned_at: now };
    const lot = { sequence, remaining: points, expires_at: expiresAt, purchase_id: id };
    const entryId = this.#append(change, pass, earned, [...lots, lot], { ...entry, at: now });
    const row = { id, user_id: pass.user_id, at: now, created_at: now, updated_at: now };
    recordPurchase(change, "purchase.recorded", receipt, row, lines, pass, points, entryId, points);
  }

  /** Takes back pieces of the first line. */
  addReturn(passId: string, receipt: string, quantity: number): void {
    const { purchase: findPurchase, addReturn, setPurchase, setEffect } = this.#statements;
    this.change((change) => {
      const { now } = change;
      const purchase = findPurchase.get(ORGANIZATION, SOURCE, receipt);
      if (purchase === undefined) throw new Error("there is no such purchase");
      const pass = this.#pass(passId);
      const before: Line[] = JSON.parse(purchase.lines);
      const lines = before.map((line, at) =>
        at > 0
          ? line
          : {
              ...line,
              returned: {
                quantity: line.returned.quantity + quantity,
                amount: line.returned.amount + Math.floor((line.amount * quantity) / line.quantity),
              },
            },
      );
      const [units, unitsBefore] = [countPoints(sumRemaining(lines)), countPoints(sumRemaining(before))];
      addReturn.run(
        ...[ORGANIZATION, purchase.id, "1", null, JSON.stringify([{ id: "0", quantity }]), null, now],
      );
      setPurchase.run(JSON.stringify(lines), sumRemaining(lines), now, ORGANIZATION, SOURCE, receipt);
      setEffect.run(units, ORGANIZATION, purchase.id, passId);
      const card = this.#statements.card.get(ORGANIZATION, passId) ?? EMPTY_CARD;
      const taken = unitsBefore - units;
      const lots = this.#statements.lots.all(ORGANIZATION, passId);
      const own = lots.filter((lot) => lot.purchase_id === purchase.id);
      const after = this.#take(passId, lots, own, taken);
      const parts = own.map((lot) => [lot.sequence, -taken] as const);
      const entry = { type: "returned", points: -taken, lots: parts, receipt, at: now };
      const returned = { ...card, earned: card.earned - taken };
      const entryId = this.#append(change, pass, returned, after, { ...noTerms, ...entry });
      const row = { ...purchase, updated_at: now };
      recordPurchase(change, "purchase.changed", receipt, row, lines, pass, units, entryId, -taken);
    });
  }

  #spend(change: HandWrittenChange, passId: string, points: number): void {
    const pass = this.#pass(passId);
    const card = this.#statements.card.get(ORGANIZATION, passId) ?? EMPTY_CARD;
    const lots = this.#statements.lots.all(ORGANIZATION, passId);
    const first = lots.toSorted((a, b) => endOf(a) - endOf(b)).find(({ remaining }) => remaining >= points);
    if (first === undefined) throw new Error("there are not enough points");
    const after = this.#take(passId, lots, [first], points);
    const parts = [[first.sequence, -points] as const];
    const entry = { type: "spent", points: -points, lots: parts, receipt: null, at: change.now };
    this.#append(change, pass, { ...card, spent: card.spent + points }, after, { ...noTerms, ...entry });
  }

  #pass(id: string): PassRow {
    const pass = this.#statements.pass.get(ORGANIZATION, id);
    if (pass === undefined) throw new Error(`no pass ${id}`);
    return pass;
  }

  /** Takes points from the only one of these lots. @returns all lots that have points left. */
  #take(passId: string, lots: readonly LotRow[], [from]: readonly LotRow[], points: number): LotRow[] {
    if (from === undefined) throw new Error("there is no lot to take from");
    this.#statements.setLot.run(from.remaining - points, ORGANIZATION, passId, from.sequence);
    return lots
      .map((lot) => (lot === from ? { ...lot, remaining: lot.remaining - points } : lot))
      .filter(({ remaining }) => remaining > 0);
  }

  #append(
    change: HandWrittenChange,
    pass: PassRow,
    card: CardRow,
    lots: readonly LotRow[],
    entry: Entry,
  ): string {
    const { addEntry, putCard, setCard } = this.#statements;
    const { type, points, usableFrom, expiresAt, receipt, at } = entry;
    const sequence = card.entries + 1;
    const id = pointEntryIdOf(pass.id, sequence);
    const source = receipt === null ? null : SOURCE;
    addEntry.run(
      ...[ORGANIZATION, pass.id, sequence, type, points, 0, JSON.stringify(entry.lots), usableFrom],
      ...[expiresAt, source, receipt, null, 0, null, null, null, at, change.now],
    );
    const next = Math.min(...lots.map(endOf));
    const nextChangeAt = Number.isFinite(next) ? next : null;
    const { debt, earned, spent, expired } = card;
    const sums = [debt, earned, spent, expired, sequence, card.last_earned_at, change.now];
    if (nextChangeAt === card.next_change_at) setCard.run(...sums, ORGANIZATION, pass.id);
    else putCard.run(ORGANIZATION, pass.id, ...sums, nextChangeAt);
    change.recordEvent(`points.${type}`, {
      pointCard: {
        ...{ object: "point_card", walletPassId: pass.id, templateId: pass.template_id },
        ...{ available: lots.reduce((sum, { remaining }) => sum + remaining, 0), held: 0, pending: 0 },
        ...{ debt: card.debt, expiring: listExpiring(lots) },
        ...{ earned: card.earned, spent: card.spent, expired: card.expired },
        lastEarnedAt: toTime(card.last_earned_at),
      },
      entry: {
        ...{ id, object: "point_entry", type, points, debt: 0 },
        lots: entry.lots.map(([lot, part]) => ({ lotId: pointEntryIdOf(pass.id, lot), points: part })),
        ...{ usableFrom: toTime(usableFrom), expiresAt: toTime(expiresAt) },
        ...{ purchase: receipt === null ? null : { source: SOURCE, receipt }, reverses: null, note: null },
        ...{ actor: { kind: "library", id: null, name: null }, at: toTime(at), createdAt: change.time },
      },
    });
    return id;
  }
}

const noTerms = { usableFrom: null, expiresAt: null };

function recordPurchase(
  change: HandWrittenChange,
  type: string,
  receipt: string,
  purchase: Omit<PurchaseRow, "lines">,
  lines: readonly Line[],
  { id: walletPassId, template_id: templateId }: PassRow,
  units: number,
  entryId: string,
  difference: number,
): void {
  const card = { walletPassId, templateId, unit: "points" };
  change.recordEvent(type, {
    ...{ id: purchase.id, object: "purchase", source: SOURCE, receipt, revision: null },
    ...{ userId: purchase.user_id, at: toTime(purchase.at), currency: EARNING.currency, lines },
    total: lines.reduce((sum, { amount }) => sum + amount, 0),
    returnedTotal: lines.reduce((sum, { returned }) => sum + returned.amount, 0),
    ...{ paidWithPoints: 0, note: null },
    effects: [{ ...card, units, notTaken: 0, cut: 0, because: null }],
    ...{ createdAt: toTime(purchase.created_at), updatedAt: toTime(purchase.updated_at) },
    changes: [{ ...card, units: difference, entryId }],
  });
}

function countPoints(amount: number): number {
  return EARNING.rules.reduce((sum, { give, per }) => sum + Math.floor((amount * give) / per.amount), 0);
}

function sumRemaining(lines: readonly Pick<Line, "amount" | "returned">[]): number {
  return lines.reduce((sum, { amount, returned }) => sum + amount - returned.amount, 0);
}

function listExpiring(lots: readonly LotRow[]) {
  const sums = new Map<number, number>();
  for (const { expires_at: at, remaining } of lots)
    if (at !== null) sums.set(at, (sums.get(at) ?? 0) + remaining);
  return [...sums]
    .toSorted(([a], [b]) => a - b)
    .slice(0, 24)
    .map(([at, points]) => ({ points, at: toTime(at) }));
}

function endOf({ expires_at: at }: LotRow): number {
  return at ?? Number.POSITIVE_INFINITY;
}

function toTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function preparePurchases(db: Database.Database) {
  return {
    pass: db.prepare<[string, string], PassRow>(
      `select pass.id, users.id as user_id, template.id as template_id, template.program_version
        from loyalty_wallet_passes pass
        join loyalty_users users on users.organization_id = pass.organization_id and users.ordinal = pass.user_ordinal
        join loyalty_templates template on template.organization_id = pass.organization_id
          and template.id = pass.template_id
        where pass.organization_id = ? and pass.id = ?`,
    ),
    purchase: db.prepare<[string, string, string], PurchaseRow>(
      "select * from loyalty_purchases where organization_id = ? and source = ? and receipt = ?",
    ),
    addPurchase: db.prepare(
      `insert into loyalty_purchases (organization_id, source, receipt, id, revision, user_id, "references", at, currency,
        lines, remaining_amount, paid_with_points, note, is_confirmed, is_frozen, created_at, updated_at)
        values (${placeholders(17)})`,
    ),
    setPurchase: db.prepare(
      `update loyalty_purchases set lines = ?, remaining_amount = ?, updated_at = ?
        where organization_id = ? and source = ? and receipt = ?`,
    ),
    addEffect: db.prepare(
      `insert into loyalty_purchase_effects (organization_id, purchase_id, pass_id, user_id, template_id, program_version,
        unit, daily_allowance, units, not_taken, cut, because, position, at) values (${placeholders(14)})`,
    ),
    setEffect: db.prepare(
      `update loyalty_purchase_effects set units = ? where organization_id = ? and purchase_id = ? and pass_id = ?`,
    ),
    addReturn: db.prepare(
      `insert into loyalty_purchase_returns (organization_id, purchase_id, return_id, at, lines, note, created_at)
        values (${placeholders(7)})`,
    ),
    card: db.prepare<[string, string], CardRow>(
      "select * from loyalty_point_cards where organization_id = ? and pass_id = ?",
    ),
    putCard: db.prepare(
      `insert into loyalty_point_cards (organization_id, pass_id, debt, earned, spent, expired, entries, last_earned_at,
        updated_at, next_change_at) values (${placeholders(10)})
        on conflict (organization_id, pass_id) do update set earned = excluded.earned, spent = excluded.spent,
          entries = excluded.entries, last_earned_at = excluded.last_earned_at, updated_at = excluded.updated_at,
          next_change_at = excluded.next_change_at`,
    ),
    setCard: db.prepare(
      `update loyalty_point_cards set debt = ?, earned = ?, spent = ?, expired = ?, entries = ?, last_earned_at = ?,
        updated_at = ? where organization_id = ? and pass_id = ?`,
    ),
    lots: db.prepare<[string, string], LotRow>(
      `select sequence, remaining, expires_at, purchase_id from loyalty_point_lots
        where organization_id = ? and pass_id = ? and remaining > 0 order by sequence`,
    ),
    addLot: db.prepare(
      `insert into loyalty_point_lots (organization_id, pass_id, sequence, points, remaining, expired, usable_from,
        expires_at, grace_until, purchase_id, created_at) values (${placeholders(11)})`,
    ),
    setLot: db.prepare(
      `update loyalty_point_lots set remaining = ? where organization_id = ? and pass_id = ? and sequence = ?`,
    ),
    addEntry: db.prepare(
      `insert into loyalty_point_entries (organization_id, pass_id, sequence, type, points, debt, lots, usable_from,
        expires_at, source, receipt, reverses, is_imported, note, actor, subject, at, created_at)
        values (${placeholders(18)})`,
    ),
  };
}
