import { describe, expect, it } from "vitest";
import { WalletWorker } from "../../adapters/delivery/wallets/worker.js";
import { untyped } from "../kit/refusal.js";

/**
 * Runs another step this many microtasks after the first step has found nothing to do.
 * @returns how often the later step followed the events.
 */
async function countFollowsOfLaterStep(microtasks: number): Promise<number> {
  let follows = 0;
  let before = 0;
  let later: Promise<unknown> | null = null;
  const backend = {
    queuesWithDueJobs: async () => ["acme"],
    onWork: () => () => {},
    onError: (error: unknown) => {
      throw error;
    },
    follow: async () => {
      follows += 1;
      return false;
    },
    refreshNext: async () => {
      later ??= (async () => {
        for (let index = 0; index < microtasks; index += 1) await null;
        before = follows;
        await worker.runOnce();
      })();
    },
    claim: async () => [],
  };
  const worker = new WalletWorker(untyped(backend), []);
  await worker.runOnce();
  await later;
  return follows - before;
}

describe("the wallet worker", () => {
  it("follows the events once more for a step that comes while another one ends", async () => {
    for (let microtasks = 0; microtasks < 20; microtasks += 1)
      expect(await countFollowsOfLaterStep(microtasks), `${microtasks}`).toBe(1);
  });
});
