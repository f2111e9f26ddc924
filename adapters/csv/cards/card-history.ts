import type { ImportPass } from "../../../src/resources/import-pass.js";
import { BadCell } from "./bad-cell.js";

type HistoryEntry = NonNullable<ImportPass["history"]>[number];

/** When, what, and perhaps a note. */
const entryForm = /^(\S+)\s+(\+\d+|[-−]\d+|redeem|reset)(?:\s+(.*))?$/iu;

/**
 * The history of a card in a cell, oldest first: `2026-01-05T10:00Z +3; 2026-02-01 redeem`. Behind each may be a note.
 * @throws {BadCell} on an entry that is none.
 */
export function historyOf(cell: string): HistoryEntry[] {
  return cell
    .split(/[;\r\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map(entryOf);
}

function entryOf(text: string, nth: number): HistoryEntry {
  const [, at = "", change = "", note] = entryForm.exec(text) ?? [];
  if (change === "") {
    const form = "a date or time, then +3, -1, redeem or reset";
    throw new BadCell("history", `has ${JSON.stringify(text)} for entry ${nth + 1}: give ${form}`);
  }
  const noted = { at, ...(note !== undefined && { note }) };
  const kind = change.toLowerCase();
  if (kind === "redeem") return { ...noted, type: "redeemed" };
  if (kind === "reset") return { ...noted, type: "reset" };
  return { ...noted, type: kind.startsWith("+") ? "added" : "removed", count: Number(kind.slice(1)) };
}
