import type { Template } from "../../../../../../src/cards/schema.js";
import { rules } from "../../words/en/card-program.js";
import { numberText, pluralOf } from "../../words/en/forms.js";

/** What a card collects, in words. */
export interface CardUnit {
  readonly isPoints: boolean;
  /** Returns the word that goes with a number, such as "points". */
  readonly nameUnits: (count: number) => string;
  /** Returns a number with its word, such as "25 points". */
  readonly countUnits: (count: number) => string;
}

/** @param unit the card's own word for points, or an empty string. */
export function createCardUnit(type: Template["type"], unit: string): CardUnit {
  const isPoints = type === "LOYALTY_CARD";
  const { one, many } = isPoints ? rules.pointsWord : rules.stampsWord;
  const ownWord = isPoints ? unit.trim() : "";
  const nameUnits = (count: number) => ownWord || pluralOf(count, one, many);
  return { isPoints, nameUnits, countUnits: (count) => `${numberText(count)} ${nameUnits(count)}` };
}
