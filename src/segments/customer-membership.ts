import { dateIn } from "../base/values/metadata-value.js";
import { normalizeNfc } from "../base/values/text.js";
import type { BehaviorTest, MetadataTest } from "../storage/behavior.js";
import type { StoredStampCard } from "../storage/passes.js";
import type { TagFilter } from "../tags/tag-filter-schema.js";
import { type CustomerFacts, type PassFacts, sumPoints, sumSpent } from "./customer-facts.js";
import type { Plan } from "./plan.js";

/** Returns whether a customer is in a segment, given the facts that the segment's filter depends on. */
export type MembershipTest = (facts: CustomerFacts) => boolean;

const matchNone: MembershipTest = () => false;

/** Returns whether one customer matches a planned filter. The result is the same as for a storage query with that filter. */
export function isMember(plan: Plan, facts: CustomerFacts): boolean {
  return compileMembershipTest(plan)(facts);
}

/** Caches each plan's compiled test, because compiling takes longer than testing one customer. */
const compiledTests = new WeakMap<Plan, MembershipTest>();

/**
 * Compiles a plan into a function that tests one customer, like {@link isMember}. Use it to test many customers against the same
 * plan. The function is valid for as long as the plan is.
 */
export function compileMembershipTest(plan: Plan): MembershipTest {
  const compiledTest = compiledTests.get(plan) ?? buildMembershipTest(plan);
  compiledTests.set(plan, compiledTest);
  return compiledTest;
}

function buildMembershipTest({ filter, tags, tests }: Plan): MembershipTest {
  const compileSet = (name: string): MembershipTest => {
    const slug = tags.get(name);
    if (slug !== undefined) return (facts) => facts.tags.has(slug);
    const test = tests.get(name);
    return test === undefined ? matchNone : compileBehaviorTest(test);
  };
  const compileFilter = ({ operator, conditions = [], filters = [] }: TagFilter): MembershipTest =>
    combineTests(operator, [
      ...conditions.map(({ slug }) => compileSet(slug)),
      ...filters.map(compileFilter),
    ]);
  return compileFilter(filter);
}

/** Combines tests with an operator. An `AND` without operands has no members, like a set that doesn't exist. */
function combineTests(operator: TagFilter["operator"], operands: readonly MembershipTest[]): MembershipTest {
  const [first = matchNone, ...otherTests] = operands;
  switch (operator) {
    case "AND":
      return otherTests.length === 0 ? first : (facts) => operands.every((operand) => operand(facts));
    case "OR":
      return otherTests.length === 0 ? first : (facts) => operands.some((operand) => operand(facts));
    case "NOT":
      return otherTests.length === 0
        ? (facts) => !first(facts)
        : (facts) => !operands.some((operand) => operand(facts));
  }
}

function compileBehaviorTest(test: BehaviorTest): MembershipTest {
  switch (test.of) {
    case "stamps":
      return testAnyCard(test, ({ currentStamps }) => currentStamps);
    case "rewards":
      return testAnyCard(test, ({ rewardsAvailable }) => rewardsAvailable);
    case "completions":
      return testAnyCard(test, ({ timesCompleted }) => timesCompleted);
    case "visit": {
      const { templateId, nth, since, before } = test;
      return (facts) => isInRange(facts.listVisits(templateId)[nth - 1], since, before);
    }
    case "points": {
      const { templateId, countsUnused } = test;
      return (facts) =>
        facts.listLotsByCard(templateId, countsUnused).some((lots) => isWithin(sumPoints(lots, test), test));
    }
    case "spent": {
      const { currency, since } = test;
      return (facts) => isWithin(sumSpent(facts.purchases, currency, since), test);
    }
    case "purchases": {
      const { since } = test;
      return ({ purchases }) => isWithin(purchases.filter(({ at }) => at >= since).length, test);
    }
    case "joined": {
      const { from, before } = test;
      return ({ user }) => isInRange(user.createdAt, from, before);
    }
    case "metadata": {
      const { path, value } = test;
      const matchesMetadata = compileMetadataTest(value);
      return (facts) => matchesMetadata(facts.getMetadataValue(path));
    }
    case "field": {
      const { name } = test;
      return ({ user }) => user[name] !== null;
    }
    case "wallet": {
      const { platform, templateId } = test;
      const isInWallet = ({ pass, platforms }: PassFacts) =>
        platform === null
          ? platforms.length > 0 || pass.installationStatus === "INSTALLED"
          : platforms.includes(platform);
      return (facts) => facts.listPasses(templateId).some(isInWallet);
    }
    case "subscription": {
      const { channel, status } = test;
      return ({ subscription }) => (subscription?.[`${channel}Status`] ?? "NONE") === status;
    }
    case "language": {
      const languagePrefix = `${test.language}-`;
      return ({ subscription }) => `${subscription?.language ?? ""}-`.startsWith(languagePrefix);
    }
  }
}

interface Bounds {
  readonly min: number | null;
  readonly max: number | null;
}

function testAnyCard(
  test: Bounds & { readonly templateId: string | null },
  getNumber: (card: StoredStampCard) => number,
): MembershipTest {
  const { templateId } = test;
  return ({ passes }) =>
    passes.some(
      ({ pass }) =>
        pass.card !== null &&
        (templateId === null || pass.templateId === templateId) &&
        isWithin(getNumber(pass.card), test),
    );
}

function isWithin(value: number, { min, max }: Bounds): boolean {
  return (min === null || value >= min) && (max === null || value <= max);
}

/** Returns whether the value exists and lies between `from` (inclusive) and `before` (exclusive). */
function isInRange(value: number | null | undefined, from: number | null, before: number | null): boolean {
  if (value === undefined || value === null) return false;
  return (from === null || value >= from) && (before === null || value < before);
}

function compileMetadataTest(test: MetadataTest): (value: unknown) => boolean {
  switch (test.is) {
    case "there":
      return (value) => value !== undefined && value !== null;
    case "text":
      return (value) => typeof value === "string" && normalizeNfc(value) === test.text;
    case "flag":
      return (value) => value === test.value;
    case "number":
      return (value) => typeof value === "number" && isWithin(value, test);
    case "date":
      return (value) => isInRange(dateIn(value), test.from, test.before);
    case "dayOfYear": {
      const days = new Set(test.days);
      return (value) => {
        const date = dateIn(value);
        return date !== null && days.has(date % 10_000);
      };
    }
  }
}
