import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { listSeeds } from "../properties/runs.js";
import { simulate } from "./simulation/simulation.js";

describe("workers with failures of receivers and the storage", () => {
  it.each(listSeeds(2))("lose no event, and follow the documentation: SIMULATION_SEED=%i", async (seed) => {
    const outcome = await simulate({ seed, changes: 400, days: 2, open: async () => memoryStorage() });
    expect(outcome.wrong).toEqual([]);
    expect(outcome.requests).toBeGreaterThan(outcome.events);
    // Otherwise no process died at the worst moment.
    expect(outcome.repeated).toBeGreaterThan(0);
  });
});
