import type { TagFilter } from "../resources/tag-filter.js";

/** The operand of all users; the operands of tags follow it. */
export const EVERYBODY = 0;

/** A filter without its slugs: an operand's number, or what combines some. */
export type Shape = number | Combination;

export interface Combination {
  readonly operator: TagFilter["operator"];
  readonly operands: readonly Shape[];
}

/** A filter splits into its shape, which filters that differ only in slugs share, and its slugs. */
export interface ShapedFilter {
  readonly shape: Shape;
  /** The shape as a text: equal texts are equal shapes. */
  readonly key: string;
  /** Each slug stands once, at the number of its operand, from 1. */
  readonly slugs: readonly string[];
}

export function shapeFilter(filter: TagFilter): ShapedFilter {
  const numbers = new Map<string, number>();
  const numberOf = (slug: string): number => {
    const number = numbers.get(slug) ?? numbers.size + 1;
    numbers.set(slug, number);
    return number;
  };
  const shapeOf = ({ operator, conditions = [], filters = [] }: TagFilter): Shape => ({
    operator,
    operands: [...conditions.map(({ slug }) => numberOf(slug)), ...filters.map(shapeOf)],
  });
  const shape = shapeOf(filter);
  return { shape, key: formatShape(shape), slugs: [...numbers.keys()] };
}

function formatShape(shape: Shape): string {
  return typeof shape === "number"
    ? `${shape}`
    : `${shape.operator}(${shape.operands.map(formatShape).join()})`;
}
