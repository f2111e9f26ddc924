import type { ImportPass } from "../../../src/resources/import-pass.js";
import type { CardField } from "../columns.js";
import { BadCell } from "./bad-cell.js";
import { historyOf } from "./card-history.js";

/**
 * The card that the cells of a row tell of; those that are empty are `undefined`.
 * @param templateOf the id of the template that a cell means, or of each card where there is no cell.
 * @throws {BadCell}
 */
export function cardOf(
  cell: (field: CardField) => string | undefined,
  templateOf: (cell: string | null) => string,
): ImportPass {
  const texts = { code: cell("code"), lastStampAt: cell("lastStampAt"), createdAt: cell("issuedAt") };
  const number = (field: CardField) => numberOf(field, cell(field));
  const numbers = {
    stamps: number("stamps"),
    completions: number("completions"),
    rewards: number("rewards"),
  };
  const past = cell("history");
  return {
    templateId: templateOf(cell("template") ?? null),
    ...texts,
    ...numbers,
    ...(past !== undefined && { history: historyOf(past) }),
  };
}

function numberOf(field: CardField, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-9]+$/.test(text)) throw new BadCell(field, `must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}
