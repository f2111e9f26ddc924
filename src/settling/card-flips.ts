import type { BehaviourTest } from "../storage/behaviour.js";
import type { StoredStampCard } from "../storage/passes.js";
import { KeptVisits } from "../values/kept-visits.js";

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

/** One card of a customer. */
export class OneCard {
  readonly #visits: KeptVisits;

  /** @param isOnly true for a customer who has no other pass; else nothing is known of others. */
  constructor(
    readonly templateId: string,
    private readonly card: StoredStampCard,
    private readonly isOnly: boolean,
  ) {
    this.#visits = new KeptVisits(card.visits);
  }

  hasVisitsOf({ card }: OneCard): boolean {
    return this.card.visits === card.visits;
  }

  isWithin({ of, min, max }: NumberTest): boolean {
    const number = this.card[numbers[of]];
    return number >= min && (max === null || number <= max);
  }

  /** Returns whether a test asks for cards like this one. */
  isAskedFor({ templateId }: CardTest): boolean {
    return templateId === null || templateId === this.templateId;
  }

  /** Returns whether the n-th newest visit of this card is from a time on. Visits of other cards only make it newer. */
  isVisitFrom(nth: number, time: number): boolean {
    const visit = this.#visits.nth(nth);
    return visit !== null && visit >= time;
  }

  /** Returns whether a test is true of the customer, whatever other cards there may be; `null` where those decide. */
  decides(test: CardTest): boolean | null {
    const none = this.isOnly ? false : null;
    if (!this.isAskedFor(test)) return none;
    if (test.of !== "visit") return this.isWithin(test) ? true : none;
    const { nth, since, before } = test;
    const isSince = this.isVisitFrom(nth, since ?? Number.NEGATIVE_INFINITY);
    if (before === null) return isSince ? true : none;
    if (this.isVisitFrom(nth, before)) return false;
    return this.isOnly ? isSince : null;
  }
}

/** A card as it was and as it is now. */
export class CardChange {
  constructor(
    readonly before: OneCard,
    readonly after: OneCard,
  ) {}

  /**
   * Returns whether the change may turn a test over, whatever other cards the customer has. Where it can't, nothing else of the
   * customer need be read for the test.
   */
  mayFlip(test: CardTest): boolean {
    const { before, after } = this;
    if (!after.isAskedFor(test)) return false;
    if (test.of !== "visit") return before.isWithin(test) !== after.isWithin(test);
    if (before.hasVisitsOf(after)) return false;
    const [was, is] = [before.decides(test), after.decides(test)];
    return was === null || was !== is;
  }
}
