import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { storedSeeds } from "../properties/runs.js";
import { simulateMessages } from "./simulation/google-messages.js";

describe("messages on cards while Google fails", () => {
  it.each(storedSeeds(8))(
    "aren't lost or duplicated, and don't notify too often: SIMULATION_SEED=%i",
    async (seed) => {
      const trial = { seed, storage: memoryStorage(), cards: 24, rounds: 150, isTroubled: true };
      const { wrong, deaths, accepted, replaced, missing } = await simulateMessages(trial);
      expect(wrong).toEqual([]);
      // Otherwise the trial would prove nothing.
      for (const count of [deaths, accepted, replaced, missing]) expect(count).toBeGreaterThan(0);
    },
  );

  it.each(everyAdapter)(
    "aren't lost or duplicated, and are counted as people were notified, on $name",
    async ({ open }) => {
      const trial = { seed: 9, storage: await open(), cards: 8, rounds: 80, isTroubled: true };
      const { wrong, accepted } = await simulateMessages(trial);
      expect([wrong, accepted > 0]).toEqual([[], true]);
    },
  );
});
