import { memoryStorage } from "loyalty-kit/memory";
import { expect, it } from "vitest";
import type { Deliverer } from "../../adapters/wallets/deliverer.js";
import { WalletWorker } from "../../adapters/wallets/worker.js";
import { openShop, phone } from "./some-shop.js";

/** Says that all it is given is told, when it may. */
function deliverer(platform: Deliverer["platform"], whenFree: Promise<void>) {
  const told: string[] = [];
  const deliver: Deliverer["deliver"] = async (jobs) => {
    await whenFree;
    told.push(...jobs.map(({ delivery }) => delivery.passId));
    return jobs.map(({ delivery: { passId, revision }, devices }) => {
      const deviceIds = devices.map(({ deviceId }) => deviceId);
      return { passId, revision, deviceIds, nextAttemptAt: null };
    });
  };
  return { told, platform, deliver, close() {} };
}

it("a wallet that does not answer holds up no other one, nor changes that come meanwhile", async () => {
  const { desk, acme, newCard } = await openShop(memoryStorage(), 0);
  const { id } = await newCard();
  await desk.register("acme", phone(id));
  await desk.google.mark("acme", id, 0);
  let free = () => {};
  const google = deliverer(
    "google",
    new Promise((resolve) => {
      free = resolve;
    }),
  );
  const apple = deliverer("apple", Promise.resolve());
  const worker = new WalletWorker(desk, [google, apple]);
  worker.start(10);
  for (let stamp = 1; stamp <= 3; stamp += 1) {
    await acme.stamps.add(id);
    await expect.poll(() => apple.told).toHaveLength(stamp);
  }
  expect(google.told).toEqual([]);
  free();
  await expect.poll(() => google.told).toEqual([id, id]);
  await worker.close();
});
