import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { adaptersInProcess } from "../kit/adapters.js";
import { storedSeeds } from "../properties/runs.js";
import { simulate } from "./simulation/simulation.js";

describe("workers while Apple, Google and the storage fail", () => {
  it.each(storedSeeds(6))("lose no change of a card: SIMULATION_SEED=%i", async (seed) => {
    const trial = { seed, storage: memoryStorage(), cards: 40, stamps: 400, isTroubled: true };
    const { stale, invented, deaths, pushes, writes } = await simulate(trial);
    expect([stale, invented]).toEqual([[], []]);
    expect(Math.min(pushes, writes)).toBeGreaterThan(0);
    // Otherwise no worker died at the worst moment.
    expect(deaths).toBeGreaterThan(0);
  });

  // On Postgres the same takes long, so it is among the long tests.
  it.each(adaptersInProcess)("lose no change of a card on $name", async ({ open }) => {
    const trial = { seed: 7, storage: await open(), cards: 10, stamps: 200, messages: 10, isTroubled: true };
    const { stale, invented, wrongNews, toldWrong } = await simulate(trial);
    expect([stale, invented, wrongNews, toldWrong]).toEqual([[], [], [], []]);
  });

  it.each(storedSeeds(4))(
    "leave the newest message on each card, or none, and announce each once: SIMULATION_SEED=%i",
    async (seed) => {
      const trial = {
        seed,
        storage: memoryStorage(),
        cards: 30,
        stamps: 400,
        messages: 40,
        isTroubled: true,
      };
      const { stale, wrongNews, toldWrong, told } = await simulate(trial);
      expect([stale, wrongNews, toldWrong]).toEqual([[], [], []]);
      expect(told).toBeGreaterThan(0);
    },
  );

  it("push once for many changes, and never without a change", async () => {
    const trial = {
      seed: 1,
      storage: memoryStorage(),
      cards: 40,
      cardsOfPhone: 1,
      stamps: 2_000,
      isTroubled: false,
    };
    const { stale, pushes, idle, writes } = await simulate(trial);
    expect(stale).toEqual([]);
    expect(pushes).toBeLessThan(2_000);
    expect(idle).toBe(0);
    expect(writes).toBe(pushes);
  });
});
