import fc, { type Arbitrary, type AsyncCommand, type WeightedArbitrary } from "fast-check";
import type { ManualClock } from "../kit/manual-clock.js";
import type { Player, Trial } from "./trial.js";

/** Something that every player does, and that must have the same result. */
export type Step = AsyncCommand<ManualClock, Trial>;

/** Steps of one kind, with their weight relative to other kinds. */
export type Steps = WeightedArbitrary<Step>;

/** Creates steps that differ in their arguments, which are printed when the players differ. */
export function createSteps<A>(
  weight: number,
  name: string,
  args: Arbitrary<A>,
  work: (player: Player, args: A) => Promise<unknown>,
): Steps {
  const arbitrary = args.map((values): Step => {
    const what = `${name}(${JSON.stringify(values)})`;
    return {
      check: () => true,
      run: (_clock, trial) => trial.compare(what, (player) => work(player, values)),
      toString: () => what,
    };
  });
  return { arbitrary, weight };
}

/** Moves the clock forward or back; it stands still during all other steps. */
export const clockSteps: Steps = {
  arbitrary: fc.constantFrom(1, 1_000, -1, -1_000, 43_200_000).map((ms) => ({
    check: () => true,
    run: async (clock) => clock.move(ms),
    toString: () => `clock.move(${ms})`,
  })),
  weight: 4,
};

/** The n-th of a kind, in order of creation. */
export const nth = fc.nat({ max: 30 });

/** A value that is right more often than wrong. */
export function mostlyRight<T>(right: Arbitrary<T>, wrong: T): Arbitrary<T> {
  return fc.oneof({ arbitrary: right, weight: 9 }, { arbitrary: fc.constant(wrong), weight: 1 });
}

/** A user by order of creation or by external id; now and then one that doesn't exist. */
export const userRef: Arbitrary<number | string> = mostlyRight<number | string>(
  fc.oneof({ arbitrary: nth, weight: 4 }, fc.constantFrom("1", "2")),
  "nobody",
);

export function resolveUserId(player: Player, user: number | string): string {
  return typeof user === "number" ? player.getId("user", user) : user;
}

export const slugs = ["vip", "gold", "high-value"];

export const names = mostlyRight(fc.constantFrom("Ada", " Ada ", "ada", "Zoë", "Bob \u{10000}", "B%_b"), " ");

/** An optional field is sometimes left out, and sometimes null. */
export const userFields = {
  name: fc.option(names),
  phone: fc.option(fc.constantFrom("1", "2 2")),
  externalId: fc.option(fc.constantFrom("1", "2", "3")),
  metadata: fc.constantFrom({}, { a: 1 }, { a: [1, null], b: "é" }),
};

const letters = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABC");
export const emails = mostlyRight(
  letters.map((letter) => `${letter}@example.com`),
  "none",
);

export const newUser = fc.record({ email: emails, ...userFields }, { requiredKeys: ["email"] });

export const paging = { page: fc.nat({ max: 2 }), size: fc.integer({ min: 1, max: 4 }) };
