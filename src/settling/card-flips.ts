import type { BehaviourTest } from "../storage/behaviour.js";
import type { StoredCard } from "../storage/passes.js";

type VisitTest = Extract<BehaviourTest, { readonly of: "visit" }>;
type NumberTest = Extract<BehaviourTest, { readonly of: "stamps" | "rewards" | "completions" }>;

/** A test that cards decide. */
export type CardTest = VisitTest | NumberTest;

export function isCardTest(test: BehaviourTest): test is CardTest {
  return test.of === "visit" || test.of === "stamps" || test.of === "rewards" || test.of === "completions";
}

const numbers = {
  stamps: "currentStamps",
  rewards: "rewardsAvailable",
  completions: "timesCompleted",
} as const;

/** A card as it was and as it is now. */
export class CardChange {
  #visits: readonly [before: readonly number[], after: readonly number[]] | null = null;

  constructor(
    private readonly templateId: string,
    private readonly before: StoredCard,
    private readonly after: StoredCard,
  ) {}

  /**
   * Returns whether the change may turn a test over, whatever other cards the customer has. Where it can't, nothing else of the
   * customer need be read for the test.
   */
  mayFlip(test: CardTest): boolean {
    if (test.templateId !== null && test.templateId !== this.templateId) return false;
    return test.of === "visit" ? this.mayMoveVisit(test) : this.flipsNumber(test);
  }

  private flipsNumber({ of, min, max }: NumberTest): boolean {
    const isSo = (card: StoredCard) => {
      const number = card[numbers[of]];
      return number >= min && (max === null || number <= max);
    };
    return isSo(this.before) !== isSo(this.after);
  }

  /** Visits on other cards add to those on this one: what this one decides alone, before and after, they don't change. */
  private mayMoveVisit({ nth, since, before }: VisitTest): boolean {
    if (this.before.visits === this.after.visits) return false;
    this.#visits ??= [JSON.parse(this.before.visits), JSON.parse(this.after.visits)];
    const visits = this.#visits;
    const isNthFrom = (time: number) => visits.every((some) => (some[nth - 1] ?? Number.NaN) >= time);
    if (before === null) return !isNthFrom(since ?? Number.NEGATIVE_INFINITY);
    // The visit in question is too new both times.
    return !isNthFrom(before);
  }
}
