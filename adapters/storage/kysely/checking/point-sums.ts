import type { LotPart } from "../../../../src/points/schema.js";
import type { StoredPointCard, StoredPointEntry, StoredPointLot } from "../../../../src/storage/points.js";

/** The columns of a point card that follow from the entries. */
type CardSums = Omit<StoredPointCard, "passId" | "updatedAt" | "nextChangeAt">;

/** The columns of a lot that follow from the entries. */
type LotValues = Pick<StoredPointLot, "points" | "remaining" | "expired" | "expiresAt">;

/** Types of entries that can be reversed. */
const reversible: readonly string[] = ["added", "removed", "spent"];

/** Adds up one pass's entries in order, and finds the first entry that contradicts the ones before it. */
export class PointSums {
  #card: CardSums = { debt: 0, earned: 0, spent: 0, expired: 0, entries: 0, lastEarnedAt: null };
  /** The lots by their sequence. */
  readonly #lots = new Map<number, LotValues>();
  /** The entries that can be reversed and haven't been, by their sequence. */
  readonly #reversible = new Map<number, Pick<StoredPointEntry, "type" | "points">>();
  #breakReason: string | null = null;

  /** The sums of the entries so far. */
  get card(): CardSums {
    return this.#card;
  }

  add(entry: StoredPointEntry): void {
    if (this.#breakReason !== null) return;
    const expected = this.#card.entries + 1;
    if (entry.sequence !== expected) this.#breakReason = describeMissing(expected);
    else if (!this.#apply(entry)) this.#breakReason = `entry ${expected} of its points was altered`;
  }

  /**
   * Describes why the entries prove nothing, or returns `null` if they add up.
   * @param card the card as stored, or `null` if it is missing.
   * @param lots the lots as stored.
   */
  findBreak(card: StoredPointCard | null, lots: readonly StoredPointLot[]): string | null {
    if (this.#breakReason !== null) return this.#breakReason;
    if (card !== null && card.entries > this.#card.entries) return describeMissing(this.#card.entries + 1);
    for (const { sequence } of lots) {
      if (!this.#lots.has(sequence)) return `no entry gave lot ${sequence} of its points`;
    }
    const sequences = new Set(lots.map(({ sequence }) => sequence));
    for (const [sequence, { points }] of this.#lots) {
      if (points > 0 && !sequences.has(sequence)) return `lot ${sequence} of its points is missing`;
    }
    return null;
  }

  /** Returns a lot's values as they follow from the entries. */
  getLotValues({ sequence }: StoredPointLot): LotValues | null {
    return this.#lots.get(sequence) ?? null;
  }

  /** Adds up an entry, and returns whether it is possible after the entries before it. */
  #apply(entry: StoredPointEntry): boolean {
    const { type, points, debt, sequence, at } = entry;
    const parts = parseParts(entry.lots);
    const sum = parts?.reduce((total, part) => total + part.points, 0);
    const countedType = type === "reversed" ? this.#takeReversible(entry) : type;
    if (parts === null || sum !== points + debt || countedType === null) return false;
    if ((type === "reversed") !== (entry.reverses !== null)) return false;
    const before = this.#card;
    this.#card = {
      debt: before.debt + debt,
      earned: before.earned + (type === "earned" || type === "returned" ? points : 0),
      spent: before.spent - (countedType === "spent" ? points : 0),
      expired: before.expired - (type === "expired" ? points : 0),
      entries: sequence,
      lastEarnedAt: type === "earned" ? Math.max(before.lastEarnedAt ?? at, at) : before.lastEarnedAt,
    };
    if (points > 0) this.#addLot(entry);
    if (reversible.includes(type)) this.#reversible.set(sequence, { type, points });
    return this.#card.debt >= 0 && parts.every((part) => this.#applyPart(part, entry));
  }

  /** Each entry that gives points can have a lot, even if all of its points paid debt. */
  #addLot({ sequence, expiresAt }: StoredPointEntry): void {
    this.#lots.set(sequence, { points: 0, remaining: 0, expired: 0, expiresAt });
  }

  #applyPart({ lot, points }: LotPart, { sequence, type }: StoredPointEntry): boolean {
    const before = this.#lots.get(lot);
    if (before === undefined) return false;
    const after = {
      ...before,
      points: before.points + (lot === sequence ? points : 0),
      remaining: before.remaining + points,
      expired: before.expired - (type === "expired" ? points : 0),
    };
    this.#lots.set(lot, after);
    return after.remaining >= 0 && after.remaining <= after.points;
  }

  /** Returns the type of the entry that a reversal reverses, or `null` if the reversal is impossible. */
  #takeReversible({ reverses, points }: StoredPointEntry): StoredPointEntry["type"] | null {
    const reversed = reverses === null ? undefined : this.#reversible.get(reverses);
    if (reverses === null || reversed === undefined || reversed.points !== -points) return null;
    this.#reversible.delete(reverses);
    return reversed.type;
  }
}

/** Returns when the next of the lots' remaining points expire or become usable after a time, or `null` if none of them ever do. */
export function findNextChange(
  lots: readonly Pick<StoredPointLot, "remaining" | "usableFrom" | "expiresAt" | "graceUntil">[],
  after: number,
): number | null {
  const times = lots.flatMap(({ remaining, usableFrom, expiresAt, graceUntil }) => {
    const end = graceUntil ?? expiresAt ?? Number.POSITIVE_INFINITY;
    return remaining > 0 ? [end, usableFrom > after ? usableFrom : end] : [];
  });
  const next = times.reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY);
  return Number.isFinite(next) ? next : null;
}

function describeMissing(sequence: number): string {
  return `entry ${sequence} of its points is missing`;
}

/** Reads the parts of an entry, or returns `null` if the text isn't a list of them. */
function parseParts(json: string): readonly LotPart[] | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (!Array.isArray(value)) return null;
  const parts: LotPart[] = [];
  for (const item of value) {
    const part = parsePart(item);
    if (part === null) return null;
    parts.push(part);
  }
  return parts;
}

function parsePart(value: unknown): LotPart | null {
  if (!Array.isArray(value)) return null;
  const [lot, points]: readonly unknown[] = value;
  return typeof lot === "number" && typeof points === "number" && Number.isSafeInteger(points)
    ? { lot, points }
    : null;
}
