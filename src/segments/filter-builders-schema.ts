import type { TagCondition } from "../tags/tag-filter-schema.js";
import type { ConditionOf, SegmentCondition } from "./filter-schema.js";
import type { LeafValues } from "./leaf-schema.js";

/** A Boolean combination of conditions of the given kinds. */
export interface FilterOf<Condition> {
  /** Whether customers must match all (`AND`), at least one (`OR`), or none (`NOT`) of the conditions and nested groups. */
  readonly operator: "AND" | "OR" | "NOT";
  /** The conditions in this group, not including conditions in nested groups. */
  readonly conditions?: readonly Condition[];
  /** The nested groups. Each group counts as one operand. */
  readonly filters?: readonly FilterOf<Condition>[];
}

/** Either a single condition or a filter that combines several conditions. */
export type Operand = SegmentCondition | FilterOf<SegmentCondition>;

/** A non-empty array of operands. */
export type Operands = readonly [Operand, ...Operand[]];

/** The union of the kinds of conditions that an operand contains. */
export type ConditionIn<Given> = Given extends FilterOf<infer Condition> ? Condition : Given;

/**
 * Builds a filter that matches customers who match every operand.
 * @example
 * import { all, lastVisit, not, tag, wallet } from "loyalty-kit";
 *
 * const filter = all(tag("vip"), lastVisit({ withinDays: 30 }), not(wallet({ installed: true })));
 * console.log((await cafe.segments.query({ filter })).totalElements);
 */
export function all<Given extends Operands>(...operands: Given): FilterOf<ConditionIn<Given[number]>>;
export function all(...operands: Operands): FilterOf<SegmentCondition> {
  return combineOperands("AND", operands);
}

/**
 * Builds a filter that matches customers who match at least one operand.
 * @example
 * import { any, tag } from "loyalty-kit";
 *
 * console.log((await cafe.tags.query({ filter: any(tag("vip"), tag("staff")) })).totalElements);
 */
export function any<Given extends Operands>(...operands: Given): FilterOf<ConditionIn<Given[number]>>;
export function any(...operands: Operands): FilterOf<SegmentCondition> {
  return combineOperands("OR", operands);
}

/**
 * Builds a filter that matches customers who match none of the operands.
 * @example
 * import { not, tag } from "loyalty-kit";
 *
 * console.log((await cafe.tags.query({ filter: not(tag("staff")) })).totalElements);
 */
export function not<Given extends Operands>(...operands: Given): FilterOf<ConditionIn<Given[number]>>;
export function not(...operands: Operands): FilterOf<SegmentCondition> {
  return combineOperands("NOT", operands);
}

function combineOperands(
  operator: FilterOf<SegmentCondition>["operator"],
  operands: Operands,
): FilterOf<SegmentCondition> {
  const conditions: SegmentCondition[] = [];
  const filters: FilterOf<SegmentCondition>[] = [];
  for (const operand of operands) {
    if ("operator" in operand) filters.push(operand);
    else conditions.push(operand);
  }
  return {
    operator,
    ...(conditions.length > 0 && { conditions }),
    ...(filters.length > 0 && { filters }),
  };
}

/**
 * Builds a condition that matches customers who have the tag with the given slug.
 * @example
 * import { all, tag } from "loyalty-kit";
 *
 * console.log((await cafe.tags.query({ filter: all(tag("vip"), tag("regular")) })).totalElements);
 */
export function tag(slug: string): TagCondition {
  return { slug };
}

/**
 * Builds a condition that matches the members of the saved segment with the given slug.
 * @example
 * import { all, segment } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(segment("regulars")) })).totalElements);
 */
export function segment(segment: LeafValues["segment"]): ConditionOf<"segment"> {
  return { segment };
}

/**
 * Builds a condition that matches customers by the stamps on their card for a template.
 * @example
 * import { all, stamps } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(stamps({ templateId: "tpl_1", min: 5 })) })).totalElements);
 */
export function stamps(stamps: LeafValues["stamps"]): ConditionOf<"stamps"> {
  return { stamps };
}

/**
 * Builds a condition that matches customers by how many rewards they can redeem: at least one by default, or between `min` and
 * `max`.
 * @example
 * import { all, rewards } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(rewards({ min: 1 })) })).totalElements);
 */
export function rewards(rewards: LeafValues["rewards"]): ConditionOf<"rewards"> {
  return { rewards };
}

/**
 * Builds a condition that matches customers by how often they have filled a card.
 * @example
 * import { all, completions } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(completions({ min: 3 })) })).totalElements);
 */
export function completions(completions: LeafValues["completions"]): ConditionOf<"completions"> {
  return { completions };
}

/**
 * Builds a condition that matches customers by the day of their last visit.
 * @example
 * import { all, lastVisit } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(lastVisit({ withinDays: 30 })) })).totalElements);
 */
export function lastVisit(lastVisit: LeafValues["lastVisit"]): ConditionOf<"lastVisit"> {
  return { lastVisit };
}

/**
 * Builds a condition that matches customers by how often they visited within the last `days` days.
 * @example
 * import { all, visits } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(visits({ days: 90, min: 3 })) })).totalElements);
 */
export function visits(visits: LeafValues["visits"]): ConditionOf<"visits"> {
  return { visits };
}

/**
 * Builds a condition that matches customers by the points that they can use on their card for a template.
 * @example
 * import { all, points } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(points({ templateId: "tpl_1", min: 100 })) })).totalElements);
 */
export function points(points: LeafValues["points"]): ConditionOf<"points"> {
  return { points };
}

/**
 * Builds a condition that matches customers with usable points that expire by the end of the day `withinDays` days from now.
 * @example
 * import { all, pointsExpire } from "loyalty-kit";
 *
 * const filter = all(pointsExpire({ templateId: "tpl_1", withinDays: 7 }));
 * console.log((await cafe.segments.query({ filter })).totalElements);
 */
export function pointsExpire(pointsExpire: LeafValues["pointsExpire"]): ConditionOf<"pointsExpire"> {
  return { pointsExpire };
}

/**
 * Builds a condition that matches customers by how much they bought within the last `days` days, less what they returned. Amounts
 * are in minor units.
 * @example
 * import { all, spent } from "loyalty-kit";
 *
 * const filter = all(spent({ days: 90, currency: "EUR", min: 10_000 }));
 * console.log((await cafe.segments.query({ filter })).totalElements);
 */
export function spent(spent: LeafValues["spent"]): ConditionOf<"spent"> {
  return { spent };
}

/**
 * Builds a condition that matches customers by how often they bought something within the last `days` days. Purchases that were
 * returned completely don't count.
 * @example
 * import { all, purchases } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(purchases({ days: 90, min: 3 })) })).totalElements);
 */
export function purchases(purchases: LeafValues["purchases"]): ConditionOf<"purchases"> {
  return { purchases };
}

/**
 * Builds a condition that matches customers by the day they joined.
 * @example
 * import { all, joined } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(joined({ withinDays: 7 })) })).totalElements);
 */
export function joined(joined: LeafValues["joined"]): ConditionOf<"joined"> {
  return { joined };
}

/**
 * Builds a condition that matches customers by a value in their metadata.
 * @example
 * import { all, metadata } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(metadata({ path: ["city"], equals: "Vienna" })) })).totalElements);
 */
export function metadata(metadata: LeafValues["metadata"]): ConditionOf<"metadata"> {
  return { metadata };
}

/**
 * Builds a condition that matches customers by the anniversary of a date in their metadata, such as their birthday.
 * @example
 * import { all, anniversary } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(anniversary({ path: ["birthday"], withinDays: 7 })) })).totalElements);
 */
export function anniversary(anniversary: LeafValues["anniversary"]): ConditionOf<"anniversary"> {
  return { anniversary };
}

/**
 * Builds a condition that matches customers who have, or don't have, a phone number, a name, or an external ID.
 * @example
 * import { all, field } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(field({ name: "phone", exists: true })) })).totalElements);
 */
export function field(field: LeafValues["field"]): ConditionOf<"field"> {
  return { field };
}

/**
 * Builds a condition that matches customers who have, or don't have, a card in a wallet.
 * @example
 * import { all, wallet } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(wallet({ installed: true })) })).totalElements);
 */
export function wallet(wallet: LeafValues["wallet"]): ConditionOf<"wallet"> {
  return { wallet };
}

/**
 * Builds a condition that matches customers by their consent to receive messages.
 * @example
 * import { all, subscription } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(subscription({ channel: "email", status: "SUBSCRIBED" })) })).totalElements);
 */
export function subscription(subscription: LeafValues["subscription"]): ConditionOf<"subscription"> {
  return { subscription };
}

/**
 * Builds a condition that matches customers by their language.
 * @example
 * import { all, language } from "loyalty-kit";
 *
 * console.log((await cafe.segments.query({ filter: all(language("de")) })).totalElements);
 */
export function language(language: LeafValues["language"]): ConditionOf<"language"> {
  return { language };
}
