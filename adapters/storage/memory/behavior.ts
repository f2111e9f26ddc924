import { dateIn } from "../../../src/base/values/metadata-value.js";
import { normalizeNfc } from "../../../src/base/values/text.js";
import type { BehaviorTest, MetadataTest } from "../../../src/storage/behavior.js";
import { Bitmap } from "../../../src/storage/bitmap.js";
import type { StoredPass, StoredStampCard } from "../../../src/storage/passes.js";
import type { StoredPointLot } from "../../../src/storage/points.js";
import type { StoredPurchase } from "../../../src/storage/purchases.js";
import type { StoredUser } from "../../../src/storage/users.js";
import type { OrganizationRows } from "./store/organization-rows.js";

/** Returns the users who match each test, in the same order as the tests. Evaluates every test for every user. */
export function matchBehavior(rows: OrganizationRows, tests: readonly BehaviorTest[]): readonly Bitmap[] {
  const ordinalsByTest = tests.map((): number[] => []);
  for (const [ordinal, { user }] of rows.users) {
    const facts = new UserFacts(rows, user);
    for (const [index, test] of tests.entries())
      if (matchesTest(facts, test)) ordinalsByTest[index]?.push(ordinal);
  }
  return ordinalsByTest.map((ordinals) => Bitmap.of(ordinals));
}

/** Caches the facts about one user that the tests need. */
class UserFacts {
  readonly #cards = new Map<string | null, readonly StoredStampCard[]>();
  readonly #visits = new Map<string | null, readonly number[]>();
  #purchases: readonly StoredPurchase[] | null = null;
  #metadata: { readonly value: unknown } | null = null;

  constructor(
    readonly rows: OrganizationRows,
    readonly user: StoredUser,
  ) {}

  get metadata(): unknown {
    this.#metadata ??= { value: JSON.parse(this.user.metadata) };
    return this.#metadata.value;
  }

  listPasses(templateId: string | null): readonly StoredPass[] {
    const ids = this.rows.passIdsByUser.get(this.user.id) ?? [];
    const passes = ids.flatMap((id) => this.rows.passes.get(id) ?? []);
    return templateId === null ? passes : passes.filter((pass) => pass.templateId === templateId);
  }

  listCards(templateId: string | null): readonly StoredStampCard[] {
    const cards =
      this.#cards.get(templateId) ?? this.listPasses(templateId).flatMap(({ card }) => card ?? []);
    this.#cards.set(templateId, cards);
    return cards;
  }

  /** Lists a user's purchases since a time, without those that were returned completely. */
  listPurchases(since: number): readonly StoredPurchase[] {
    this.#purchases ??= [...this.rows.purchases.values()].filter(({ userId }) => userId === this.user.id);
    return this.#purchases.filter(({ at, remainingAmount }) => at >= since && remainingAmount !== null);
  }

  /** Lists the times of a user's visits, oldest first. */
  listVisits(templateId: string | null): readonly number[] {
    const visits =
      this.#visits.get(templateId) ??
      this.listCards(templateId)
        .flatMap(parseVisits)
        .sort((one, other) => one - other);
    this.#visits.set(templateId, visits);
    return visits;
  }
}

function matchesTest(facts: UserFacts, test: BehaviorTest): boolean {
  const { rows, user } = facts;
  switch (test.of) {
    case "stamps":
      return facts.listCards(test.templateId).some((card) => isWithin(card.currentStamps, test));
    case "rewards":
      return facts.listCards(test.templateId).some((card) => isWithin(card.rewardsAvailable, test));
    case "completions":
      return facts.listCards(test.templateId).some((card) => isWithin(card.timesCompleted, test));
    case "visit": {
      const visit = facts.listVisits(test.templateId).at(-test.nth);
      if (visit === undefined || (test.since !== null && visit < test.since)) return false;
      return test.before === null || visit < test.before;
    }
    case "points":
      return facts
        .listPasses(test.templateId)
        .filter(({ id, card }) => rows.pointCards.has(id) || (test.countsUnused && card === null))
        .some(({ id }) => isWithin(sumPoints(rows.pointLots.get(id) ?? [], test), test));
    case "spent": {
      const spent = facts.listPurchases(test.since).filter(({ currency }) => currency === test.currency);
      return isWithin(
        spent.reduce((sum, { remainingAmount }) => sum + (remainingAmount ?? 0), 0),
        test,
      );
    }
    case "purchases":
      return isWithin(facts.listPurchases(test.since).length, test);
    case "joined":
      return (
        (test.from === null || user.createdAt >= test.from) &&
        (test.before === null || user.createdAt < test.before)
      );
    case "metadata":
      return matchesMetadata(readPath(facts.metadata, test.path), test.value);
    case "field":
      return user[test.name] !== null;
    case "wallet":
      return facts.listPasses(test.templateId).some((pass) => isInWallet(rows, pass, test.platform));
    case "subscription": {
      const { emailStatus = "NONE", walletStatus = "NONE" } = rows.subscriptions.get(user.id) ?? {};
      return (test.channel === "email" ? emailStatus : walletStatus) === test.status;
    }
    case "language": {
      const language = rows.subscriptions.get(user.id)?.language ?? null;
      return language !== null && `${language}-`.startsWith(`${test.language}-`);
    }
  }
}

type PointTest = Extract<BehaviorTest, { readonly of: "points" }>;

function sumPoints(lots: readonly StoredPointLot[], { usableBy, endsAfter, endsBy }: PointTest): number {
  return lots.reduce((sum, { usableFrom, createdAt, expiresAt, graceUntil, remaining, expired }) => {
    const end = graceUntil ?? expiresAt ?? Number.POSITIVE_INFINITY;
    if (usableFrom > Math.max(usableBy, createdAt) || end <= endsAfter || (endsBy !== null && end > endsBy))
      return sum;
    return sum + remaining + (graceUntil === null && end > usableBy ? expired : 0);
  }, 0);
}

function parseVisits({ visits }: StoredStampCard): readonly number[] {
  return JSON.parse(visits);
}

function isInWallet(rows: OrganizationRows, pass: StoredPass, platform: "apple" | "google" | null): boolean {
  if (platform === null && pass.installationStatus === "INSTALLED") return true;
  const devices = rows.walletDevices.get(pass.id) ?? [];
  return devices.some(
    (device) => device.state === "registered" && (platform === null || device.platform === platform),
  );
}

interface Bounds {
  readonly min: number | null;
  readonly max: number | null;
}

function isWithin(value: number, { min, max }: Bounds): boolean {
  return (min === null || value >= min) && (max === null || value <= max);
}

function readPath(value: unknown, [key, ...path]: readonly string[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? readPath(Reflect.get(value, key), path) : undefined;
}

function matchesMetadata(value: unknown, test: MetadataTest): boolean {
  switch (test.is) {
    case "there":
      return value !== undefined && value !== null;
    case "text":
      return typeof value === "string" && normalizeNfc(value) === test.text;
    case "flag":
      return value === test.value;
    case "number":
      return typeof value === "number" && isWithin(value, test);
    case "date": {
      const date = dateIn(value);
      const { from, before } = test;
      return date !== null && (from === null || date >= from) && (before === null || date < before);
    }
    case "dayOfYear": {
      const date = dateIn(value);
      return date !== null && test.days.includes(date % 10_000);
    }
  }
}
