import { createLoyaltyError, validationFailed } from "../base/errors.js";
import type { ParsedPurchase, PurchaseLine, ReturnedLine } from "./schema.js";

const nothingReturned = { quantity: 0, amount: 0 };

/**
 * Builds a purchase's lines from input. What was returned of a line before stays returned.
 * @param before the lines as they were.
 * @throws {LoyaltyError} `more_than_bought` if more of a line was returned than was bought, or `validation_failed` if a partly or
 *   wholly returned line is missing.
 */
export function buildLines(
  inputs: ParsedPurchase["lines"],
  before: readonly PurchaseLine[],
): readonly PurchaseLine[] {
  const returned = new Map(before.map((line) => [line.id, line.returned]));
  const lines = inputs.map(
    ({ id, sku, category, name, kind, quantity, amount, tax }, index): PurchaseLine => {
      const lineId = id ?? `${index}`;
      const content = { sku, category, name, kind, quantity, amount, tax };
      return { id: lineId, ...content, returned: returned.get(lineId) ?? nothingReturned };
    },
  );
  assertNotMoreThanBought(lines, lines);
  const ids = new Set(lines.map(({ id }) => id));
  const missingLine = before.find((line) => isReturned(line) && !ids.has(line.id));
  if (missingLine !== undefined)
    throw validationFailed({
      lines: `must contain the line ${missingLine.id}, because some of it was returned`,
    });
  return lines;
}

/**
 * Returns the lines after some of them came back.
 * @throws {LoyaltyError} `more_than_bought` at the returned line if too much comes back, or `validation_failed` if a line isn't part
 *   of the purchase.
 */
export function returnLines(
  lines: readonly PurchaseLine[],
  returnedLines: readonly ReturnedLine[],
): readonly PurchaseLine[] {
  const byId = new Map(lines.map((line) => [line.id, line]));
  for (const [index, returned] of returnedLines.entries()) {
    const line = byId.get(returned.id);
    if (line === undefined)
      throw validationFailed({ [`lines.${index}.id`]: "is not the id of a line of this purchase" });
    byId.set(line.id, returnLine(line, returned));
  }
  const updatedLines = lines.map((line) => byId.get(line.id) ?? line);
  assertNotMoreThanBought(updatedLines, returnedLines);
  return updatedLines;
}

/** Returns the lines after everything came back. */
export function returnAllLines(lines: readonly PurchaseLine[]): readonly PurchaseLine[] {
  return lines.map((line) => returnLine(line, {}));
}

/** Adds up what remains of the lines' amounts. Returns `null` if nothing remains, neither an amount nor a piece. */
export function sumRemaining(lines: readonly PurchaseLine[]): number | null {
  const hasRemaining = lines.some(
    ({ quantity, amount, returned }) => returned.quantity < quantity || returned.amount < amount,
  );
  return hasRemaining ? lines.reduce((sum, { amount, returned }) => sum + amount - returned.amount, 0) : null;
}

/** Returns a part of a line. An amount alone keeps the pieces, and neither means all of the rest. */
function returnLine(line: PurchaseLine, { quantity, amount }: Omit<ReturnedLine, "id">): PurchaseLine {
  if (quantity === undefined && amount === undefined)
    return { ...line, returned: { quantity: line.quantity, amount: line.amount } };
  const pieces = quantity ?? 0;
  return {
    ...line,
    returned: {
      quantity: line.returned.quantity + pieces,
      amount: line.returned.amount + (amount ?? computeAmount(line, pieces)),
    },
  };
}

/** Returns the amount of some pieces of a line, rounded down. The last pieces bring the rest of the amount. */
function computeAmount(line: PurchaseLine, pieces: number): number {
  const remaining = line.amount - line.returned.amount;
  if (pieces >= line.quantity - line.returned.quantity) return remaining;
  return Math.min(Number((BigInt(line.amount) * BigInt(pieces)) / BigInt(line.quantity)), remaining);
}

/** @throws {LoyaltyError} `more_than_bought` for the request's first line whose returns exceed what was bought. */
function assertNotMoreThanBought(
  lines: readonly PurchaseLine[],
  request: readonly { readonly id: string }[],
): void {
  const excessIds = new Set(
    lines
      .filter(({ quantity, amount, returned }) => returned.quantity > quantity || returned.amount > amount)
      .map(({ id }) => id),
  );
  const index = request.findIndex(({ id }) => excessIds.has(id));
  if (index >= 0) throw createLoyaltyError("more_than_bought", [`lines.${index}`]);
}

function isReturned({ returned }: PurchaseLine): boolean {
  return returned.quantity > 0 || returned.amount > 0;
}
