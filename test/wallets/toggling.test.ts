import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { createMissingWallet } from "../../adapters/delivery/wallets/wallets.js";
import { WalletWorker } from "../../adapters/delivery/wallets/worker.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { walletJobs } from "../../src/storage/wallets.js";
import { MAX_CHANGES_PER_DAY, MIN_INTERVAL_MS } from "../../src/wallets/installation.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { createPhone, openShop } from "./some-shop.js";

const DAY = 86_400_000;

async function start(storage: StorageAdapter) {
  const shop = await openShop(storage);
  const { clock, newCard, acme, backend } = shop;
  const { id } = await newCard();
  const google = { passId: id, platform: "google", deviceId: "google", pushToken: null } as const;
  const worker = new WalletWorker(backend, [
    createMissingWallet("apple", clock.read),
    createMissingWallet("google", clock.read),
  ]);
  const other = serviceInternals(new LoyaltyService({ storage, clock: clock.read })).createWalletBackend(0);
  const getStatus = async () => (await acme.passes.get(id)).installationStatus;
  const listStates = async () =>
    (await runStep(storage.reader("acme").walletDevicesOf([id]))).map(({ state }) => state);
  const listEventTypes = async () => {
    const types = ["pass.installed", "pass.uninstalled"] as const;
    const { content } = await acme.events.list({ types: [...types], limit: 100 });
    return content.map(({ type }) => type);
  };
  return { ...shop, id, google, worker, other, status: getStatus, listStates, listEventTypes };
}

describe.each(everyAdapter)("a card that is added and removed on $name", ({ open }) => {
  it("emits at most one event a minute for a phone and Google in two processes, and ends in the last state", async () => {
    const { backend, other, clock, id, google, worker, listStates, status, listEventTypes } = await start(
      await open(),
    );
    for (let time = 0; time < 10; time += 1) {
      const [first, second] = time % 2 === 0 ? [backend, other] : [other, backend];
      expect(await first.devices.register("acme", createPhone(id))).toBe("new");
      expect(await second.devices.register("acme", google)).toBe("new");
      expect(await second.devices.unregister("acme", createPhone(id))).toBe(true);
      expect(await first.devices.unregister("acme", google)).toBe(true);
      clock.move(1_000);
      await worker.runOnce();
    }
    expect(await listStates()).toEqual(["gone", "gone"]);
    expect([await listEventTypes(), await status()]).toEqual([["pass.installed"], "INSTALLED"]);
    clock.move(MIN_INTERVAL_MS);
    await worker.runOnce();
    expect([await listEventTypes(), await status()]).toEqual([
      ["pass.installed", "pass.uninstalled"],
      "UNINSTALLED",
    ]);
    await worker.runOnce();
    expect(await backend.queuesWithDueJobs(10)).toEqual([]);
  });

  it("emits no event if it is back within a minute", async () => {
    const { backend, clock, id, worker, listEventTypes, status, listStates } = await start(await open());
    await backend.devices.register("acme", createPhone(id));
    await backend.devices.unregister("acme", createPhone(id));
    await backend.devices.register("acme", createPhone(id));
    clock.move(MIN_INTERVAL_MS);
    await worker.runOnce();
    expect(await listStates()).toEqual(["registered"]);
    expect([await listEventTypes(), await status()]).toEqual([["pass.installed"], "INSTALLED"]);
    clock.move(3_600_000);
    expect(await backend.queuesWithDueJobs(10)).toEqual([]);
  });

  it("has its event emitted by another process if the one that had claimed it has died", async () => {
    const storage = await open();
    const { backend, other, clock, id, listEventTypes } = await start(storage);
    await backend.devices.register("acme", createPhone(id));
    await backend.devices.unregister("acme", createPhone(id));
    clock.move(MIN_INTERVAL_MS);
    const until = clock.now + MIN_INTERVAL_MS;
    const claim = { lease: "of the dead", now: clock.now, until, limit: 10 };
    await storage.transaction("acme", function* (tx) {
      yield* tx.lockQueue(walletJobs);
      return yield* tx.claimJobs(walletJobs, "apple", claim);
    });
    expect(await other.claim("acme", "apple", 10)).toEqual([]);
    clock.move(MIN_INTERVAL_MS);
    await other.claim("acme", "apple", 10);
    expect(await listEventTypes()).toEqual(["pass.installed", "pass.uninstalled"]);
  });

  it("gets its next stamp without waiting for its status, even after many changes of that", async () => {
    const { backend, clock, id, acme, follow, listEventTypes } = await start(await open());
    const claim = () => backend.claim("acme", "apple", 10);
    for (let time = 0; time < 30; time += 1) {
      await backend.devices.register("acme", createPhone(id));
      await backend.devices.unregister("acme", createPhone(id));
      await backend.devices.register("acme", createPhone(id));
      clock.move(MIN_INTERVAL_MS / 2);
      await acme.stamps.add(id);
      await follow();
      clock.move(1_000);
      const [job, ...others] = await claim();
      expect(others).toEqual([]);
      expect(job).toMatchObject({ delivery: { passId: id, attempts: 0 }, devices: [{ deviceId: "phone" }] });
      const { lease = "", delivery: { revision } = { revision: 0 } } = job ?? {};
      const outcome = { passId: id, revision, deviceIds: ["phone"], nextAttemptAt: null };
      await backend.recordResults("acme", "apple", lease, [outcome]);
      if (time % 2 === 0) await backend.devices.unregister("acme", createPhone(id));
      clock.move(MIN_INTERVAL_MS / 2);
      await claim();
    }
    clock.move(DAY);
    await claim();
    await follow();
    expect((await listEventTypes()).at(-1)).toBe("pass.installed");
    expect(await backend.queuesWithDueJobs(10)).toEqual([]);
  });

  it("emits its event when its status may change, even if stamps come before that", async () => {
    const { backend, clock, id, acme, google, follow, worker, listEventTypes } = await start(await open());
    await backend.devices.register("acme", createPhone(id));
    await backend.devices.register("acme", google);
    await backend.devices.unregister("acme", createPhone(id));
    await backend.devices.unregister("acme", google);
    for (let seconds = 0; seconds < 59; seconds += 1) {
      await acme.stamps.add(id);
      await follow();
      clock.move(1_000);
      await worker.runOnce();
      expect(await listEventTypes()).toEqual(["pass.installed"]);
    }
    clock.move(1_000);
    await worker.runOnce();
    expect(await listEventTypes()).toEqual(["pass.installed", "pass.uninstalled"]);
  });

  it("emits its event even if it was removed while phones were being notified of a change", async () => {
    const { backend, clock, id, acme, follow, worker, listEventTypes } = await start(await open());
    await backend.devices.register("acme", createPhone(id));
    await acme.stamps.add(id);
    await follow();
    clock.move(1_000);
    const [job] = await backend.claim("acme", "apple", 10);
    await backend.devices.unregister("acme", createPhone(id));
    const { passId, revision } = job?.delivery ?? { passId: "", revision: 0 };
    const result = { passId, revision, deviceIds: ["phone"], nextAttemptAt: null };
    await backend.recordResults("acme", "apple", job?.lease ?? "", [result]);
    clock.move(MIN_INTERVAL_MS);
    await worker.runOnce();
    expect(await listEventTypes()).toEqual(["pass.installed", "pass.uninstalled"]);
  });
});

it("a card added and removed all day emits a limited number of events in 24 hours, and ends in the last state", async () => {
  const { backend, clock, id, worker, told, status } = await start(memoryStorage());
  const times: number[] = [];
  for (let time = 0; time < 3 * 24 * 12; time += 1) {
    if (time % 2 === 0) await backend.devices.register("acme", createPhone(id));
    else await backend.devices.unregister("acme", createPhone(id));
    clock.move(300_000);
    await worker.runOnce();
    while (times.length < told.length) times.push(clock.now);
  }
  const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + DAY).length));
  expect(most).toBe(MAX_CHANGES_PER_DAY);
  clock.move(DAY);
  await worker.runOnce();
  expect(await status()).toBe("UNINSTALLED");
});

it("a clock that was set back by a year delays nothing for longer than the rate limit does", async () => {
  const { backend, clock, id, worker, status } = await start(memoryStorage());
  await backend.devices.register("acme", createPhone(id));
  clock.move(-365 * DAY);
  await backend.devices.unregister("acme", createPhone(id));
  clock.move(DAY);
  await worker.runOnce();
  expect(await status()).toBe("UNINSTALLED");
});
