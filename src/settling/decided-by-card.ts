import type { TagFilter } from "../resources/tag-filter.js";
import type { Plan } from "../segments/plan.js";
import { isCardTest, type OneCard } from "./card-flips.js";

/** Returns whether a customer is in a segment who has a card, whatever else is so of that one; `null` where the card does not decide it. */
export type Decision = (card: OneCard) => boolean | null;

/** Returns what one card decides of a planned filter. It is good for as long as the plan is. */
export function decisionOf({ filter, tags, tests }: Plan): Decision {
  const decisionOfSet = (name: string): Decision => {
    if (tags.has(name)) return () => null;
    const test = tests.get(name);
    // The set of nobody.
    if (test === undefined) return () => false;
    return isCardTest(test) ? (card) => card.decides(test) : () => null;
  };
  const decisionOfFilter = ({ operator, conditions = [], filters = [] }: TagFilter): Decision =>
    combined(operator, [
      ...conditions.map(({ slug }) => decisionOfSet(slug)),
      ...filters.map(decisionOfFilter),
    ]);
  return decisionOfFilter(filter);
}

function combined(operator: TagFilter["operator"], operands: readonly Decision[]): Decision {
  switch (operator) {
    case "AND":
      // Nobody is in an `AND` of nothing.
      return operands.length === 0 ? () => false : (card) => foundIn(operands, card, false);
    case "OR":
      return (card) => foundIn(operands, card, true);
    case "NOT":
      return (card) => {
        const isAny = foundIn(operands, card, true);
        return isAny === null ? null : !isAny;
      };
  }
}

/** Returns the value when an operand has it, its opposite when none can have it, and `null` when one may. */
function foundIn(operands: readonly Decision[], card: OneCard, value: boolean): boolean | null {
  let isOpen = false;
  for (const operand of operands) {
    const decided = operand(card);
    if (decided === value) return value;
    if (decided === null) isOpen = true;
  }
  return isOpen ? null : !value;
}
