import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { listSeeds } from "../properties/runs.js";
import { simulate } from "./simulation/simulation.js";

describe("workers, receivers and a storage in trouble", () => {
  it.each(listSeeds(2))("lose no event, and keep to what is documented: SIMULATION_SEED=%i", async (seed) => {
    const outcome = await simulate({ seed, changes: 400, days: 2, open: async () => memoryStorage() });
    expect(outcome.wrong).toEqual([]);
    expect(outcome.requests).toBeGreaterThan(outcome.events);
    // Otherwise nobody died at the worst of moments.
    expect(outcome.repeated).toBeGreaterThan(0);
  });
});
