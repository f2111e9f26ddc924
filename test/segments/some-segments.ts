import type { SegmentCondition, SegmentFilter } from "loyalty-kit";

/** Chooses one of the values. */
export type Choose = <T>(values: readonly T[]) => T;

export const cities = ["Vienna", "Wien", "\u00e9", "e\u0301"] as const;

const paths = [["city"], ["points"], ["born"], ["is", "vip"], ["__proto__"], ["constructor"]];
const days = [0, 1, 2, 3, 7, 30, 90, 400];

/** Leaves over points and purchases, one or two of each kind. */
function listLedgerLeaves(choose: Choose, templateId: string): (() => SegmentCondition)[] {
  return [
    () => ({ points: { templateId, ...choose([{}, { min: 1 }, { max: 2 }, { min: 1, max: 5 }]) } }),
    () => ({ points: { templateId, min: choose([0, 3, 10]) } }),
    () => ({ pointsExpire: { templateId, withinDays: choose(days) } }),
    () => ({
      spent: {
        days: choose(days),
        currency: choose(["EUR", "USD"]),
        ...choose([{ min: 300 }, { max: 500 }, { min: 0, max: 1_000 }, { min: 1_500 }]),
      },
    }),
    () => ({ purchases: { days: choose(days), ...choose([{ min: 1 }, { max: 0 }, { min: 2, max: 3 }]) } }),
  ];
}

/** Chooses a filter with one leaf over points or purchases. */
export function chooseLedgerSegment(choose: Choose, templateIds: readonly string[]): SegmentFilter {
  return { operator: "AND", conditions: [choose(listLedgerLeaves(choose, choose(templateIds)))()] };
}

/** Chooses a leaf of any kind. */
export function chooseLeaf(choose: Choose, templateIds: readonly string[], now: number): SegmentCondition {
  const templateId = choose([undefined, ...templateIds]);
  const someTemplateId = choose(templateIds);
  const span = choose([{ withinDays: choose(days) }, { beforeDays: choose(days) }]);
  const max = choose([undefined, 1, 2, 5]);
  const min = choose([undefined, 0, 1]);
  const moment = new Date(now - choose([0, 1, 3, 40]) * 86_400_000 + choose([0, 1, 3_600_000])).toISOString();
  const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  return choose<() => SegmentCondition>([
    () => ({ slug: choose(["a", "b", "none"]) }),
    () => ({ segment: "none" }),
    () => ({ stamps: { templateId: someTemplateId, ...bounds } }),
    () => ({ rewards: { templateId, ...bounds } }),
    () => ({ completions: { templateId, ...bounds } }),
    () => ({ lastVisit: { templateId, ...span } }),
    () => ({ lastVisit: { templateId, never: true } }),
    () => ({
      visits: { templateId, days: choose(days), min: choose([0, 1, 2]), max: choose([undefined, 2, 10]) },
    }),
    () => ({ visits: { days: choose(days), max: choose([0, 1, 3]) } }),
    ...listLedgerLeaves(choose, someTemplateId),
    () => ({ joined: span }),
    () => ({
      joined: choose([
        { from: moment },
        { to: moment },
        { from: moment.slice(0, 10) },
        { to: moment.slice(0, 10) },
      ]),
    }),
    () => ({ metadata: { path: choose(paths), exists: choose([true, false]) } }),
    () => ({ metadata: { path: ["city"], equals: choose([...cities, 1, true]) } }),
    () => ({ metadata: { path: ["is", "vip"], equals: choose([true, false]) } }),
    () => ({
      metadata: {
        path: ["points"],
        ...choose([{ min: 2 }, { max: 2.5 }, { min: -1, max: 300 }, { equals: 0 }]),
      },
    }),
    () => ({ metadata: { path: ["born"], ...span } }),
    () => ({ anniversary: { path: ["born"], month: choose([1, 2, 3, "this"] as const) } }),
    () => ({ anniversary: { path: ["born"], withinDays: choose([0, 1, 3, 30, 200, 365]) } }),
    () => ({
      field: { name: choose(["phone", "name", "externalId"] as const), exists: choose([true, false]) },
    }),
    () => ({
      wallet: {
        platform: choose([undefined, "apple", "google"] as const),
        templateId,
        installed: choose([true, false]),
      },
    }),
    () => ({
      subscription: {
        channel: choose(["email", "wallet"] as const),
        status: choose(["NONE", "SUBSCRIBED", "UNSUBSCRIBED"] as const),
      },
    }),
    () => ({ language: choose(["de", "de-AT", "en"]) }),
  ])();
}

/** Chooses a filter with a few leaves. */
export function chooseSegment(
  choose: Choose,
  templateIds: readonly string[],
  now: number,
  levels = 2,
): SegmentFilter {
  const count = choose([1, 1, 2, 3]);
  const nested = levels > 1 ? choose([0, 0, 1]) : 0;
  return {
    operator: choose(["AND", "OR", "NOT"] as const),
    conditions: Array.from({ length: count }, () => chooseLeaf(choose, templateIds, now)),
    filters: Array.from({ length: nested }, () => chooseSegment(choose, templateIds, now, levels - 1)),
  };
}

/** Chooses a filter with leaves that customers start and stop matching every few days. */
export function chooseLivelySegment(choose: Choose, templateIds: readonly string[]): SegmentFilter {
  const [templateId = ""] = templateIds;
  const days = choose([0, 1, 2, 3]);
  const leaf = choose<() => SegmentCondition>([
    () => ({ slug: choose(["a", "b"]) }),
    () => ({ stamps: { templateId, min: choose([1, 2]) } }),
    () => ({ rewards: { templateId } }),
    () => ({ lastVisit: choose([{ withinDays: days }, { beforeDays: days }]) }),
    () => ({ visits: { days, min: choose([1, 2]) } }),
    () => ({ visits: { templateId, days, max: 1 } }),
    () => ({ joined: { withinDays: days } }),
    () => ({ metadata: { path: ["city"], exists: true } }),
    () => ({ wallet: { installed: true } }),
  ]);
  const operator = choose(["AND", "OR", "NOT"] as const);
  return { operator, conditions: [leaf(), leaf()].slice(choose([0, 1])) };
}
