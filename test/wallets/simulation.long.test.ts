import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { newStorage } from "../postgres/open-storage.js";
import { listSeeds, takePortion } from "../properties/runs.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { simulate, type Trial } from "./simulation/simulation.js";

async function expectNoFaults(trial: Trial): Promise<void> {
  const { stale, invented, wrongNews, toldWrong } = await simulate(trial);
  expect([stale, invented, wrongNews, toldWrong]).toEqual([[], [], [], []]);
}

const [cards, stamps] = [takePortion(10_000), takePortion(100_000)];

describe("workers while Apple, Google and the storage fail", () => {
  it.each(listSeeds(40))(
    "lose no change of a card and no message, in memory: SIMULATION_SEED=%i",
    async (seed) => {
      await expectNoFaults({
        seed,
        storage: memoryStorage(),
        cards: 60,
        stamps: 1_000,
        messages: 60,
        isTroubled: true,
      });
    },
  );

  it.each(listSeeds(4))(
    "lose no change of a card and no message, on SQLite: SIMULATION_SEED=%i",
    async (seed) => {
      const storage = await sqliteStorage(createTemporaryFile(), { synchronous: "NORMAL" });
      await expectNoFaults({ seed, storage, cards: 60, stamps: 1_000, messages: 60, isTroubled: true });
    },
  );

  it.each(listSeeds(2))(
    "lose no change of a card and no message, on Postgres: SIMULATION_SEED=%i",
    async (seed) => {
      const storage = await newStorage();
      await expectNoFaults({ seed, storage, cards: 40, stamps: 600, messages: 40, isTroubled: true });
    },
  );

  it(`deliver ${stamps} stamps on ${cards} cards to their phones`, async () => {
    const storage = await sqliteStorage(createTemporaryFile(), { synchronous: "NORMAL" });
    const outcome = await simulate({ seed: 1, storage, cards, stamps, isTroubled: true });
    expect([outcome.stale, outcome.invented]).toEqual([[], []]);
    expect(Math.max(outcome.pushes, outcome.writes)).toBeLessThan(stamps);
    console.log(`${stamps} stamps came to ${outcome.pushes} pushes, and ${outcome.writes} writes at Google`);
  });
});
