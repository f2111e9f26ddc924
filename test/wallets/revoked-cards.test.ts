import { describe, expect, it, vi } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { REVOKED_RETENTION_MS } from "../../src/wallets/revoked-cards.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { openWallets } from "./apple/wallets-scene.js";

const DAY = 86_400_000;

describe.each(everyAdapter)("a revoked card on $name", ({ open }) => {
  async function start() {
    const storage = await open();
    const shop = await openWallets(storage);
    const { id, url } = await shop.newPass();
    const listDevices = async () =>
      (await runStep(storage.reader("acme").walletDevicesOf([id]))).map(({ deviceId }) => deviceId);
    const isPassStored = async () => (await runStep(storage.all.findWalletPass(id))) !== null;
    const { userId } = await shop.acme.passes.get(id);
    return { ...shop, storage, id, url, userId, devices: listDevices, isPassStored };
  }

  it("removes its only phone after that has fetched it, and is deleted four weeks later", async () => {
    const { acme, clock, id, url, userId, devices, isPassStored, newPhone, deliver, apns, wallets } =
      await start();
    const phone = newPhone();
    await phone.add(url);
    await acme.users.erase(userId);
    expect(await devices()).toEqual(["iphone"]);
    await wallets.runOnce();
    expect(apns.pushes).toHaveLength(1);
    expect(await devices()).toEqual(["iphone"]);
    await phone.pushed();
    expect(phone.passes.get(id)?.pass).toMatchObject({ voided: true });
    expect(await devices()).toEqual([]);
    expect(await isPassStored()).toBe(true);
    expect(await phone.refresh(id)).toBe(304);

    clock.move(REVOKED_RETENTION_MS);
    await deliver();
    expect(await isPassStored()).toBe(false);
    expect(phone.complaints).toEqual([]);
  });

  it("removes each of several phones once it has confirmed the change, and pushes to them once a day", async () => {
    const { acme, clock, url, userId, devices, newPhone, deliver } = await start();
    const [first, second] = [newPhone("a"), newPhone("b")];
    await first.add(url);
    await second.add(url);
    await acme.users.erase(userId);
    expect(await deliver()).toBe(2);
    expect(await devices()).toEqual(["a", "b"]);
    clock.move(DAY - 1);
    expect(await deliver()).toBe(0);
    clock.move(1);
    expect(await deliver()).toBe(2);
    expect(await devices()).toEqual([]);
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });

  it("removes a phone that never fetches it and that Apple can't reach, after four weeks", async () => {
    const { acme, apns, clock, id, url, userId, devices, isPassStored, newPhone, wallets } = await start();
    const phone = newPhone();
    await phone.add(url);
    apns.fail(phone.pushToken, { status: 503 });
    await acme.users.erase(userId);
    await wallets.runOnce();
    clock.move(REVOKED_RETENTION_MS - 1);
    await wallets.runOnce();
    expect(await devices()).toEqual(["iphone"]);
    clock.move(DAY);
    await wallets.runOnce();
    expect([await devices(), await isPassStored()]).toEqual([[], false]);
    expect(await phone.refresh(id)).toBe(401);
  });

  it("also removes its phones if it was revoked long before its customer is erased", async () => {
    const { acme, clock, id, url, userId, devices, newPhone, deliver } = await start();
    const [first, second] = [newPhone("a"), newPhone("b")];
    await first.add(url);
    await second.add(url);
    await second.remove(id);
    await acme.passes.delete(id);
    first.erase();
    await deliver();
    clock.move(REVOKED_RETENTION_MS / 2);
    await acme.users.erase(userId);
    expect(await devices()).toEqual(["a"]);
    clock.move(REVOKED_RETENTION_MS / 2);
    await deliver();
    expect(await devices()).toEqual([]);
  });

  it("answers its removal with 200 after its only phone fetched it, even if the customer is erased later", async () => {
    const { acme, clock, id, url, userId, isPassStored, newPhone, deliver } = await start();
    const phone = newPhone();
    await phone.add(url);
    await acme.passes.delete(id);
    expect(await deliver()).toBe(1);
    await acme.users.erase(userId);
    expect(await phone.remove(id)).toBe(200);
    clock.move(REVOKED_RETENTION_MS);
    await deliver();
    expect(await isPassStored()).toBe(false);
  });

  it("causes no write when a phone fetches it again and again", async () => {
    const { acme, id, url, newPhone, deliver, storage } = await start();
    const phone = newPhone();
    await phone.add(url);
    await acme.passes.delete(id);
    await deliver();
    const writes = vi.spyOn(storage, "transaction");
    for (let time = 0; time < 3; time += 1) expect(await phone.refresh(id)).toBe(304);
    expect(writes).not.toHaveBeenCalled();
  });

  it("is deleted immediately if no wallets deliver", async () => {
    const { acme, url, userId, isPassStored, newPhone, wallets } = await start();
    await newPhone().add(url);
    await wallets.close();
    await acme.users.erase(userId);
    expect(await isPassStored()).toBe(false);
  });
});
