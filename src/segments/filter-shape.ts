import type { TagFilter } from "../resources/tag-filter.js";

/** The number of the operand for all users; tag operands are numbered from 1. */
export const EVERYBODY = 0;

/** A filter without its slugs: either an operand's number or a combination of shapes. */
export type Shape = number | Combination;

export interface Combination {
  readonly operator: TagFilter["operator"];
  readonly operands: readonly Shape[];
}

/** A filter split into its slugs and its shape, which is shared by filters that differ only in slugs. */
export interface ShapedFilter {
  readonly shape: Shape;
  /** The shape as a string: equal strings mean equal shapes. */
  readonly key: string;
  /** The distinct slugs. The first is operand 1. */
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
