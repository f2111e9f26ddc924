import { memoryStorage } from "loyalty-kit/memory";
import { createFakeApns, createFakePki, FakeIPhone, fieldsOf } from "loyalty-kit/testing";
import { createWallets } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Deliverer } from "../../adapters/delivery/wallets/wallet-platform.js";
import { WalletWorker } from "../../adapters/delivery/wallets/worker.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { REVOKED_RETENTION_MS } from "../../src/wallets/revoked-cards.js";
import { openGoogle } from "./google/google-scene.js";
import { createPhone, openShop } from "./some-shop.js";

/** Keys and certificates for all tests, because creating keys takes long. */
const pki = createFakePki();

/** Creates a deliverer that reports everything as delivered, once `whenFree` has resolved. */
function createDeliverer(platform: Deliverer["platform"], whenFree: Promise<void>) {
  const deliveredIds: string[] = [];
  const deliver: Deliverer["deliver"] = (jobs) =>
    jobs.map(async ({ delivery: { passId, revision }, devices }) => {
      await whenFree;
      deliveredIds.push(passId);
      const deviceIds = devices.map(({ deviceId }) => deviceId);
      return { passId, revision, deviceIds, nextAttemptAt: null };
    });
  return { told: deliveredIds, platform, deliver, close() {} };
}

it("a wallet that doesn't respond blocks no other wallet, and no later changes", async () => {
  const { backend, acme, newCard } = await openShop(memoryStorage(), 0);
  const { id } = await newCard();
  await backend.devices.register("acme", createPhone(id));
  await backend.google.recordAtGoogle("acme", id, 0);
  let release = () => {};
  const google = createDeliverer(
    "google",
    new Promise((resolve) => {
      release = resolve;
    }),
  );
  const apple = createDeliverer("apple", Promise.resolve());
  const worker = new WalletWorker(backend, [google, apple], 10);
  worker.start();
  for (let stamp = 1; stamp <= 3; stamp += 1) {
    await acme.stamps.add(id);
    await expect.poll(() => apple.told).toHaveLength(stamp);
  }
  expect(google.told).toEqual([]);
  release();
  await expect.poll(() => google.told).toEqual([id, id]);
  await worker.close();
});

it("an unanswered delivery delays no other delivery, of its own organization or of others", async () => {
  const { backend, loyalty, newCard } = await openShop(memoryStorage(), 0);
  const shops = await Promise.all(
    Array.from({ length: 6 }, async (_, at) => {
      const shop = loyalty.organization(`shop ${at}`);
      const { id } = await shop.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 9 });
      const [hanging, well] = [await newCard(shop, id), await newCard(shop, id)];
      for (const card of [hanging, well])
        await backend.devices.register(`shop ${at}`, createPhone(card.id, card.id));
      return { shop, hanging: hanging.id, well: well.id };
    }),
  );
  const hanging = new Set(shops.map((shop) => shop.hanging));
  const deliveryCounts = new Map<string, number>();
  const starts: string[] = [];
  let release = () => {};
  const answer = new Promise<void>((resolve) => {
    release = resolve;
  });
  const deliver: Deliverer["deliver"] = (jobs) =>
    jobs.map(async ({ delivery: { passId, revision } }) => {
      starts.push(passId);
      if (hanging.has(passId)) await answer;
      deliveryCounts.set(passId, (deliveryCounts.get(passId) ?? 0) + 1);
      return { passId, revision, deviceIds: [passId], nextAttemptAt: null };
    });
  const worker = new WalletWorker(backend, [{ platform: "apple", deliver, close() {} }], 10);
  worker.start();
  for (const { shop, hanging } of shops) await shop.stamps.add(hanging);
  await expect.poll(() => starts).toHaveLength(6);
  for (let stamp = 1; stamp <= 3; stamp += 1) {
    for (const { shop, well } of shops) await shop.stamps.add(well);
    await expect
      .poll(() => shops.map(({ well }) => deliveryCounts.get(well)))
      .toEqual(shops.map(() => stamp));
  }
  expect(shops.map((shop) => deliveryCounts.get(shop.hanging))).toEqual(shops.map(() => undefined));
  // Nothing is started again while it is running.
  expect(starts.filter((passId) => hanging.has(passId))).toHaveLength(6);
  release();
  await worker.close();
  expect(shops.map((shop) => deliveryCounts.get(shop.hanging))).toEqual(shops.map(() => 1));
  expect(await backend.queuesWithDueJobs(10)).toEqual([]);
});

it("at most 100 deliveries of an organization run at a wallet at the same time, even if they hang", async () => {
  const { backend, acme, newCard } = await openShop(memoryStorage(), 0);
  for (let at = 0; at < 105; at += 1) {
    const { id } = await newCard();
    await backend.devices.register("acme", createPhone(id, `${at}`));
    await acme.stamps.add(id);
  }
  let startCount = 0;
  let release = () => {};
  const answer = new Promise<void>((resolve) => {
    release = resolve;
  });
  const deliver: Deliverer["deliver"] = (jobs) =>
    jobs.map(async ({ delivery: { passId, revision } }) => {
      startCount += 1;
      await answer;
      return { passId, revision, deviceIds: [], nextAttemptAt: null };
    });
  const worker = new WalletWorker(backend, [{ platform: "apple", deliver, close() {} }]);
  const first = worker.runOnce();
  await expect.poll(() => startCount).toBe(100);
  await new Promise((resolve) => setTimeout(resolve, 600));
  const second = worker.runOnce();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(startCount).toBe(100);
  release();
  await Promise.all([first, second]);
  await worker.runOnce();
  expect(startCount).toBe(105);
});

it("a wallet that the host removed blocks nothing, and gets the changes when it is configured again", async () => {
  const { google, googleOptions, wallets, loyalty, acme, newPass, save, clock, shown } = await openGoogle(
    memoryStorage(),
  );
  const { id, url, objectId } = await newPass();
  await save(url);
  await wallets.close();
  const publicUrl = "https://shop.example";
  const without = createWallets(loyalty, { publicUrl, deliver: false, debounceMs: 0 });
  const backend = serviceInternals(loyalty).createWalletBackend(0);
  await acme.stamps.add(id);
  await without.runOnce();
  expect(await backend.queuesWithDueJobs(10)).toEqual([]);
  await without.close();

  clock.move(3_600_000);
  const again = createWallets(loyalty, { publicUrl, google: googleOptions, deliver: false, debounceMs: 0 });
  google.sendBy(async () => new Response(null, { headers: { "content-type": "image/png" } }));
  await again.runOnce();
  expect(shown(objectId)).toMatchObject({ loyaltyPoints: { balance: { string: "1/5" } } });
  await again.close();
});

it("a pass is in both wallets, and stays installed until both have removed it", async () => {
  const apns = await createFakeApns(pki);
  const apple = { ...pki.pass, wwdr: pki.wwdr, pushUrl: apns.url, pushCa: pki.root };
  const { google, acme, wallets, api, newPass, save, shown, status, errors, clock } = await openGoogle(
    memoryStorage(),
    { apple },
  );
  const phone = new FakeIPhone({ fetch: api.fetch, root: pki.root });
  const { id, url, objectId } = await newPass();
  const { apple: link } = await acme.passes.walletLinks(id);
  await phone.add(link ?? "");
  await save(url);
  await acme.stamps.add(id, { count: 2 });
  await wallets.runOnce();
  await phone.pushed();
  const pass = phone.passes.get(id);
  expect(apns.pushes).toHaveLength(1);
  expect(pass && fieldsOf(pass).get("stamps")?.value).toBe("2/5");
  expect(shown(objectId)).toMatchObject({ loyaltyPoints: { balance: { string: "2/5" } } });
  await phone.remove(id);
  expect(await status(id)).toBe("INSTALLED");
  clock.move(60_000);
  await google.remove(objectId);
  expect(await status(id)).toBe("UNINSTALLED");
  expect([...errors, ...google.complaints, ...phone.complaints]).toEqual([]);
  await apns.close();
});

describe("a phone that removes the pass of an erased customer gets 200, and no card is stored after four weeks,", () => {
  type Hears = "Google hears" | "a phone asks" | "another phone asks";
  const orders: (readonly Hears[])[] = [
    ["Google hears", "a phone asks"],
    ["a phone asks", "Google hears"],
    ["a phone asks", "another phone asks", "Google hears"],
    ["a phone asks", "Google hears", "another phone asks"],
    ["Google hears", "another phone asks", "a phone asks"],
    ["another phone asks", "Google hears"],
    ["Google hears"],
  ];
  it.each(orders.map((order) => [order.join(", then "), order] as const))("when %s", async (_, order) => {
    const apns = await createFakeApns(pki);
    onTestFinished(() => apns.close());
    const apple = { ...pki.pass, wwdr: pki.wwdr, pushUrl: apns.url, pushCa: pki.root };
    const storage = memoryStorage();
    const { google, acme, wallets, api, newPass, save, clock } = await openGoogle(storage, { apple });
    const { id, url } = await newPass();
    const { apple: link } = await acme.passes.walletLinks(id);
    const [phone, other] = ["a", "b"].map(
      (deviceId) => new FakeIPhone({ fetch: api.fetch, root: pki.root, deviceId }),
    );
    await phone?.add(link ?? "");
    if (order.includes("another phone asks")) await other?.add(link ?? "");
    await save(url);
    await acme.users.erase((await acme.passes.get(id)).userId);
    google.fail({ status: 503 });
    await wallets.runOnce();
    for (const each of order) {
      if (each === "Google hears") {
        google.fail(null);
        clock.move(6_000);
        await wallets.runOnce();
      } else await (each === "a phone asks" ? phone : other)?.pushed();
    }
    if (order.includes("another phone asks")) expect(await other?.remove(id)).toBe(200);
    expect(await phone?.remove(id)).toBe(200);
    clock.move(REVOKED_RETENTION_MS);
    await wallets.runOnce();
    expect(await runStep(storage.all.findWalletPass(id))).toBeNull();
  });
});
