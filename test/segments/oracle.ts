import assert from "node:assert/strict";
import type { SegmentCondition, SegmentFilter } from "loyalty-kit";

/*
 * Computes who is in a segment, with plain loops over plain objects: each customer as in a dossier, dates as in a
 * calendar.
 */

export interface Customer {
  readonly user: {
    readonly id: string;
    readonly name: string | null;
    readonly phone: string | null;
    readonly externalId: string | null;
    readonly metadata: unknown;
    readonly createdAt: string;
  };
  readonly tags: readonly { readonly slug: string }[];
  readonly passes: readonly {
    readonly templateId: string;
    readonly installationStatus: string | null;
    readonly stamps: Card | null;
    readonly history: readonly Entry[];
    readonly pointCard: object | null;
    readonly pointHistory: readonly PointEntry[];
    readonly devices: readonly { readonly platform: string; readonly state: string }[];
  }[];
  readonly purchases: readonly {
    readonly at: string;
    readonly currency: string;
    readonly lines: readonly (Amount & { readonly returned: Amount })[];
  }[];
  readonly subscription: {
    readonly email: { readonly status: string };
    readonly wallet: { readonly status: string };
    readonly language: string | null;
  };
}

interface Card {
  readonly currentStamps: number;
  readonly rewardsAvailable: number;
  readonly timesCompleted: number;
}

interface Amount {
  readonly quantity: number;
  readonly amount: number;
}

interface PointEntry {
  readonly id: string;
  readonly type: string;
  readonly lots: readonly { readonly lotId: string; readonly points: number }[];
  readonly usableFrom: string | null;
  readonly expiresAt: string | null;
}

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly reverses: string | null;
  readonly createdAt: string;
}

export interface Now {
  readonly at: number;
  readonly zone: string;
  /** The existing templates, and whether their passes have stamps. */
  readonly templates: ReadonlyMap<string, boolean>;
  /** The filters of the saved segments, by slug. Default: none. */
  readonly segments?: ReadonlyMap<string, SegmentFilter>;
}

export function isIn(
  customer: Customer,
  { operator, conditions = [], filters = [] }: SegmentFilter,
  now: Now,
): boolean {
  let matches = 0;
  for (const condition of conditions) if (isSo(customer, condition, now)) matches += 1;
  for (const filter of filters) if (isIn(customer, filter, now)) matches += 1;
  if (operator === "AND") return matches === conditions.length + filters.length;
  return operator === "OR" ? matches > 0 : matches === 0;
}

/** Returns whether a leaf matches a customer. */
export function isSo(customer: Customer, condition: SegmentCondition, now: Now): boolean {
  const { user, tags, subscription } = customer;
  if (condition.slug !== undefined) return tags.some(({ slug }) => slug === condition.slug);
  if (condition.segment !== undefined) {
    const filter = now.segments?.get(condition.segment);
    return filter !== undefined && isIn(customer, filter, now);
  }
  if (condition.stamps !== undefined)
    return hasCard(customer, condition.stamps, 0, ({ currentStamps }) => currentStamps);
  if (condition.rewards !== undefined)
    return hasCard(customer, condition.rewards, 1, ({ rewardsAvailable }) => rewardsAvailable);
  if (condition.completions !== undefined)
    return hasCard(customer, condition.completions, 1, ({ timesCompleted }) => timesCompleted);
  if (condition.lastVisit !== undefined) {
    const { templateId, never, ...days } = condition.lastVisit;
    if (templateId !== undefined && now.templates.get(templateId) !== true) return false;
    const newest = listVisits(customer, templateId).sort().at(-1);
    if (never) return newest === undefined;
    return newest !== undefined && isInDays(dateInZone(newest, now.zone), days, now);
  }
  if (condition.visits !== undefined) {
    const { templateId, days, min = 0, max = Number.POSITIVE_INFINITY } = condition.visits;
    if (listCards(customer, templateId).length === 0) return false;
    const since = getDateBefore(now, days);
    const count = listVisits(customer, templateId).filter((at) => dateInZone(at, now.zone) >= since).length;
    return count >= min && count <= max;
  }
  if (condition.points !== undefined) {
    const { templateId, ...bounds } = condition.points;
    return listPoints(customer, templateId, now, () => true).some((points) => isBetween(points, bounds));
  }
  if (condition.pointsExpire !== undefined) {
    const { templateId, withinDays } = condition.pointsExpire;
    const last = getDateBefore(now, -withinDays);
    const endsSoon = (end: string | null) =>
      end !== null && dateInZone(Date.parse(end) - 1, now.zone) <= last;
    return listPoints(customer, templateId, now, endsSoon).some((points) => points > 0);
  }
  if (condition.spent !== undefined) {
    const { days, currency, ...bounds } = condition.spent;
    const counted = listPurchases(customer, days, now).filter((each) => each.currency === currency);
    const rests = counted.flatMap(({ lines }) =>
      lines.map(({ amount, returned }) => amount - returned.amount),
    );
    return isBetween(
      rests.reduce((sum, rest) => sum + rest, 0),
      bounds,
    );
  }
  if (condition.purchases !== undefined) {
    const { days, ...bounds } = condition.purchases;
    const counted = listPurchases(customer, days, now).filter(({ lines }) =>
      lines.some(
        ({ quantity, amount, returned }) => quantity > returned.quantity || amount > returned.amount,
      ),
    );
    return isBetween(counted.length, bounds);
  }
  if (condition.joined !== undefined) {
    const { from, to, ...days } = condition.joined;
    const date = dateInZone(user.createdAt, now.zone);
    if (from === undefined && to === undefined) return isInDays(date, days, now);
    const isFrom = from === undefined || !isBefore(user.createdAt, date, from);
    return isFrom && (to === undefined || isBefore(user.createdAt, date, to));
  }
  if (condition.metadata !== undefined) {
    const { path, equals, min, max, exists, ...days } = condition.metadata;
    const value = getValue(user.metadata, path);
    if (exists !== undefined) return (value !== undefined && value !== null) === exists;
    if (typeof equals === "string")
      return typeof value === "string" && value.normalize() === equals.normalize();
    if (equals !== undefined) return value === equals;
    if (min !== undefined || max !== undefined)
      return typeof value === "number" && isBetween(value, { min, max });
    const date = parseDate(value);
    return date !== null && isInDays(date, days, now);
  }
  if (condition.anniversary !== undefined) {
    const { path, month, withinDays = 0 } = condition.anniversary;
    const date = parseDate(getValue(user.metadata, path));
    if (date === null) return false;
    if (month !== undefined)
      return Number(date.slice(5, 7)) === (month === "this" ? Number(getToday(now).slice(5, 7)) : month);
    for (let ahead = 0; ahead <= withinDays; ahead += 1) {
      const day = getDateBefore(now, -ahead);
      const isCommon =
        toDayNumber(`${day.slice(0, 4)}-03-01`) - toDayNumber(`${day.slice(0, 4)}-02-01`) === 28;
      const celebrated = isCommon && date.slice(5) === "02-29" ? "03-01" : date.slice(5);
      if (day.slice(5) === celebrated) return true;
    }
    return false;
  }
  if (condition.field !== undefined) return (user[condition.field.name] !== null) === condition.field.exists;
  if (condition.wallet !== undefined) {
    const { platform, templateId, installed } = condition.wallet;
    if (templateId !== undefined && !now.templates.has(templateId)) return false;
    const isHeld = customer.passes.some(
      (pass) =>
        (templateId === undefined || pass.templateId === templateId) &&
        ((platform === undefined && pass.installationStatus === "INSTALLED") ||
          pass.devices.some(
            (device) => device.state === "registered" && (platform ?? device.platform) === device.platform,
          )),
    );
    return isHeld === installed;
  }
  if (condition.subscription !== undefined)
    return subscription[condition.subscription.channel].status === condition.subscription.status;
  assert(condition.language !== undefined);
  const { language } = subscription;
  return language === condition.language || (language?.startsWith(`${condition.language}-`) ?? false);
}

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

function isBetween(value: number, { min, max }: Bounds): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

function listCards({ passes }: Customer, templateId: string | undefined) {
  return passes.filter(
    (pass) => pass.stamps !== null && (templateId === undefined || pass.templateId === templateId),
  );
}

function hasCard(
  customer: Customer,
  { templateId, min, max }: Bounds & { readonly templateId?: string | undefined },
  least: number,
  numberOf: (card: Card) => number,
): boolean {
  return listCards(customer, templateId).some(
    ({ stamps }) => stamps !== null && isBetween(numberOf(stamps), { min: min ?? least, max }),
  );
}

function listPurchases({ purchases }: Customer, days: number, now: Now): Customer["purchases"] {
  const since = getDateBefore(now, days);
  return purchases.filter(({ at }) => dateInZone(at, now.zone) >= since);
}

/**
 * Returns the points of each card at a time, only of lots whose expiry counts. The entries say what each lot gained
 * and lost.
 */
function listPoints(
  { passes }: Customer,
  templateId: string,
  { at, templates }: Now,
  counts: (expiresAt: string | null) => boolean,
): number[] {
  const cards = passes.filter((pass) => pass.templateId === templateId && pass.pointCard !== null);
  if (templates.get(templateId) !== false) return [];
  return cards.map(({ pointHistory }) => {
    const parts = pointHistory.filter(({ type }) => type !== "expired").flatMap(({ lots }) => lots);
    const usable = pointHistory.filter(
      ({ usableFrom, expiresAt }) =>
        usableFrom !== null &&
        Date.parse(usableFrom) <= at &&
        (expiresAt === null || Date.parse(expiresAt) > at) &&
        counts(expiresAt),
    );
    const ids = new Set(usable.map(({ id }) => id));
    return parts.reduce((sum, { lotId, points }) => (ids.has(lotId) ? sum + points : sum), 0);
  });
}

/** Returns the times of all visits. */
function listVisits(customer: Customer, templateId: string | undefined): string[] {
  return listCards(customer, templateId).flatMap(({ history }) =>
    history
      .filter(({ id, type }) => type === "added" && !history.some(({ reverses }) => reverses === id))
      .map(({ createdAt }) => createdAt),
  );
}

function getValue(metadata: unknown, path: readonly string[]): unknown {
  let value = metadata;
  for (const key of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

function parseDate(value: unknown): string | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d($|[T ])/.test(value)) return null;
  const date = value.slice(0, 10);
  const parsed = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date) ? date : null;
}

const calendars = new Map<string, Intl.DateTimeFormat>();

/** Returns the date of an instant in a time zone. */
export function dateInZone(instant: string | number, zone: string): string {
  const calendar =
    calendars.get(zone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
  calendars.set(zone, calendar);
  return calendar.format(new Date(instant));
}

function getToday({ at, zone }: Now): string {
  return dateInZone(at, zone);
}

function toDayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 86_400_000;
}

function getDateBefore(now: Now, days: number): string {
  return new Date((toDayNumber(getToday(now)) - days) * 86_400_000).toISOString().slice(0, 10);
}

interface Days {
  readonly withinDays?: number | undefined;
  readonly beforeDays?: number | undefined;
}

function isInDays(date: string, { withinDays, beforeDays }: Days, now: Now): boolean {
  if (withinDays !== undefined) return date >= getDateBefore(now, withinDays);
  return beforeDays !== undefined && date < getDateBefore(now, beforeDays);
}

/** Returns whether a time, or its date, is before a bound, which is a time or a day. */
function isBefore(at: string, date: string, bound: string): boolean {
  return bound.includes("T") ? Date.parse(at) < Date.parse(bound) : date < bound;
}
