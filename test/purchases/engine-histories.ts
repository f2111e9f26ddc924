import fc, { type Parameters } from "fast-check";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { expect } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";
import { type DoorName, EngineTrial } from "./engine.js";
import { engineSteps, openings } from "./engine-calls.js";

/**
 * Runs histories of about 40 steps each in the model and in a service, which must agree after each step. For a million steps, run
 * `LOYALTY_PROPERTY_RUNS=25000 LOYALTY_PROPERTY_SEED=random npx vitest run test/purchases/engine.test.ts --testTimeout 0`.
 * @param often how many histories are run.
 */
export async function runHistories(
  open: () => Promise<StorageAdapter>,
  often: Pick<Parameters<unknown>, "numRuns">,
  door: DoorName = "library",
): Promise<void> {
  const clock = new ManualClock();
  const storage = await open();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const loyalty = new LoyaltyService({ storage, clock: clock.read, uuid: createUuids(), onError });
  let organizations = 0;
  try {
    await fc.assert(
      fc.asyncProperty(openings, engineSteps, async (opening, steps) => {
        organizations += 1;
        const engine = { loyalty, storage, clock };
        const trial = await EngineTrial.open(engine, `shop-${organizations}`, door, opening);
        for (const step of steps) await trial.step(step);
        await trial.compareAll();
      }),
      often,
    );
  } finally {
    await loyalty.close();
  }
  expect(errors).toEqual([]);
}

/** Returns a source of increasing UUIDs, so that the first of two cards is the older one even within a millisecond. */
function createUuids(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-7000-8000-${count.toString(16).padStart(12, "0")}`;
  };
}
