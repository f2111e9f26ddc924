import type { ImportPass } from "../../../src/customers/import-schema.js";
import { CellError } from "./cells.js";
import type { CardColumn } from "./columns.js";
import { type DayOrder, timeIn } from "./dates.js";

/**
 * Parses the card in a row. Fields for empty cells are `undefined`.
 * @param templateOf a function that maps the template cell's text to a template ID. It receives `null` if the cell is empty or the
 *   column is missing.
 * @param order the order of day and month in dates, or `null` if it is unknown.
 * @throws {CellError} if a cell is malformed.
 */
export function parseCard(
  cell: (column: CardColumn) => string | undefined,
  templateOf: (cell: string | null) => string,
  order: DayOrder | null,
): ImportPass {
  const history = cell("history");
  const parseTime = (column: CardColumn) => {
    const text = cell(column);
    return text === undefined ? undefined : timeIn(column, text, order);
  };
  return {
    templateId: templateOf(cell("template") ?? null),
    code: cell("code"),
    lastStampAt: parseTime("lastStampAt"),
    createdAt: parseTime("issuedAt"),
    stamps: parseNumber("stamps", cell("stamps")),
    completions: parseNumber("completions", cell("completions")),
    rewards: parseNumber("rewards", cell("rewards")),
    points: parseNumber("points", cell("points")),
    pointsExpireAt: parseTime("pointsExpireAt"),
    ...(history !== undefined && { history: parseHistory(history) }),
  };
}

function parseNumber(column: CardColumn, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-9]+$/.test(text))
    throw new CellError(column, `must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

type HistoryEntry = NonNullable<ImportPass["history"]>[number];

/** A history entry: a time, a change, and an optional note. */
const entryForm = /^(\S+)\s+(\+\d+|[-−]\d+|redeem|reset)(?:\s+(.*))?$/iu;

/** Parses a card's history, oldest entry first: `2026-01-05T10:00Z +3; 2026-02-01 redeem`. Each entry may end with a note. */
function parseHistory(cell: string): HistoryEntry[] {
  return cell
    .split(/[;\r\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map(parseEntry);
}

function parseEntry(text: string, nth: number): HistoryEntry {
  const [, at = "", change = "", note] = entryForm.exec(text) ?? [];
  if (change === "") {
    const form = "a date or time, then +3, -1, redeem or reset";
    throw new CellError("history", `has ${JSON.stringify(text)} for entry ${nth + 1}: use ${form}`);
  }
  const entryDetails = { at, ...(note !== undefined && { note }) };
  const kind = change.toLowerCase();
  if (kind === "redeem") return { ...entryDetails, type: "redeemed" };
  if (kind === "reset") return { ...entryDetails, type: "reset" };
  return { ...entryDetails, type: kind.startsWith("+") ? "added" : "removed", count: Number(kind.slice(1)) };
}
