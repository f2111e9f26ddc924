import type { TagFilter } from "../resources/tag-filter.js";

/** The operand number that stands for all users. Tag operands are numbered from 1. */
export const EVERYBODY = 0;

/** A filter with its slugs replaced by operand numbers. It is either a single operand number or a combination of shapes. */
export type Shape = number | Combination;

export interface Combination {
  readonly operator: TagFilter["operator"];
  readonly operands: readonly Shape[];
}

/** A filter split into its slugs and its shape. Filters that differ only in their slugs have the same shape. */
export interface ShapedFilter {
  readonly shape: Shape;
  /** The shape as a string. Two shapes are equal if and only if their keys are. */
  readonly key: string;
  /** The filter's distinct slugs. The first slug is operand 1, the second is operand 2, and so on. */
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
