import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { MAX_DEVICES_PER_PASS } from "../../src/wallets/devices.js";
import { MIN_INTERVAL_MS } from "../../src/wallets/installation.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { createPhone, openShop } from "./some-shop.js";

describe.each(everyAdapter)("devices on $name", ({ open }) => {
  const start = async () => openShop(await open());

  it("make a pass installed while any of them has it, and the events name the platform", async () => {
    const { backend, acme, told, newCard, clock } = await start();
    const { id } = await newCard();
    const getStatus = async () => (await acme.passes.get(id)).installationStatus;
    expect(await backend.devices.register("acme", createPhone(id, "a"))).toBe("new");
    expect(await backend.devices.register("acme", createPhone(id, "a"))).toBe("known");
    expect(
      await backend.devices.register("acme", {
        ...createPhone(id, "g"),
        platform: "google",
        pushToken: null,
      }),
    ).toBe("new");
    expect(await getStatus()).toBe("INSTALLED");
    expect(await backend.devices.unregister("acme", createPhone(id, "a"))).toBe(true);
    expect(await backend.devices.unregister("acme", createPhone(id, "a"))).toBe(false);
    expect(await getStatus()).toBe("INSTALLED");
    clock.move(MIN_INTERVAL_MS);
    expect(await backend.devices.unregister("acme", { ...createPhone(id, "g"), platform: "google" })).toBe(
      true,
    );
    expect(await getStatus()).toBe("UNINSTALLED");
    clock.move(MIN_INTERVAL_MS);
    expect(await backend.devices.register("acme", createPhone(id, "a"))).toBe("new");
    expect(told).toEqual([
      { type: "pass.installed", platform: "apple" },
      { type: "pass.uninstalled", platform: "google" },
      { type: "pass.installed", platform: "apple" },
    ]);
  });

  it("leave the platform null in the event if the host reports the installation", async () => {
    const { acme, told, newCard } = await start();
    const { id } = await newCard();
    await acme.passes.markInstalled(id);
    expect(told).toEqual([{ type: "pass.installed", platform: null }]);
  });

  it("can update their push token by registering again", async () => {
    const { storage, backend, newCard } = await start();
    const { id } = await newCard();
    await backend.devices.register("acme", createPhone(id));
    expect(await backend.devices.register("acme", { ...createPhone(id), pushToken: "new" })).toBe("known");
    expect(await runStep(storage.reader("acme").walletDevicesOf([id]))).toMatchObject([
      { pushToken: "new", state: "registered" },
    ]);
  });

  it("with a dead token are ended for all passes, except those registered since", async () => {
    const { storage, clock, backend, acme, newCard } = await start();
    const [old, young] = [await newCard(), await newCard()];
    await backend.devices.register("acme", createPhone(old.id));
    const deadSince = clock.now;
    clock.move(1);
    await backend.devices.register("acme", createPhone(young.id));
    clock.move(MIN_INTERVAL_MS);
    expect(await backend.devices.invalidatePushToken("apple", "token of phone", deadSince)).toBe(false);
    expect((await acme.passes.get(old.id)).installationStatus).toBe("UNINSTALLED");
    expect((await acme.passes.get(young.id)).installationStatus).toBe("INSTALLED");
    expect(await runStep(storage.reader("acme").walletDevicesOf([old.id]))).toMatchObject([
      { state: "token_dead" },
    ]);
  });

  it("that registered again with the same token outlive an older report that the token is dead", async () => {
    const { storage, clock, backend, acme, newCard } = await start();
    const { id } = await newCard();
    await backend.devices.register("acme", createPhone(id));
    clock.move(1_000);
    const deadSince = clock.now;
    clock.move(1_000);
    expect(await backend.devices.register("acme", createPhone(id))).toBe("known");
    expect(await backend.devices.invalidatePushToken("apple", "token of phone", deadSince)).toBe(false);
    clock.move(MIN_INTERVAL_MS);
    expect((await acme.passes.get(id)).installationStatus).toBe("INSTALLED");
    expect(await runStep(storage.reader("acme").walletDevicesOf([id]))).toMatchObject([
      { state: "registered" },
    ]);
    expect(await backend.devices.invalidatePushToken("apple", "token of phone", clock.now)).toBe(true);
    expect((await acme.passes.get(id)).installationStatus).toBe("UNINSTALLED");
  });

  it("are limited per pass, and removed ones make room", async () => {
    const { storage, backend, newCard } = await start();
    const { id } = await newCard();
    for (let at = 0; at < MAX_DEVICES_PER_PASS; at += 1)
      await backend.devices.register("acme", createPhone(id, `phone ${at}`));
    expect(await backend.devices.register("acme", createPhone(id, "one more"))).toBe("full");
    await backend.devices.unregister("acme", createPhone(id, "phone 7"));
    expect(await backend.devices.register("acme", createPhone(id, "one more"))).toBe("new");
    expect(await runStep(storage.reader("acme").walletDevicesOf([id]))).toHaveLength(MAX_DEVICES_PER_PASS);
  });

  it("that remove one pass keep their others, and other phones keep the pass", async () => {
    const { loyalty, backend, newCard } = await start();
    const globex = loyalty.organization("globex");
    const tea = await globex.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 3 });
    const [removed, kept, theirs] = [await newCard(), await newCard(), await newCard(globex, tea.id)];
    for (const { id } of [removed, kept]) await backend.devices.register("acme", createPhone(id));
    await backend.devices.register("globex", createPhone(theirs.id));
    const createOther = () => ({ ...createPhone(removed.id, "other"), pushToken: "token of phone" });
    await backend.devices.register("acme", createOther());
    const listPasses = async (deviceId: string) =>
      new Set((await backend.updatedPasses("apple", deviceId, null))?.passIds);
    await backend.devices.unregister("acme", createPhone(removed.id));
    expect(await listPasses("phone")).toEqual(new Set([kept.id, theirs.id]));
    expect(await listPasses("other")).toEqual(new Set([removed.id]));
  });

  it("get the passes that changed since their tag, of all organizations", async () => {
    const { loyalty, backend, acme, newCard, follow } = await start();
    const globex = loyalty.organization("globex");
    const tea = await globex.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 3 });
    const [mine, theirs] = [await newCard(), await newCard(globex, tea.id)];
    await backend.devices.register("acme", createPhone(mine.id));
    await backend.devices.register("globex", createPhone(theirs.id));
    const first = await backend.updatedPasses("apple", "phone", null);
    expect(new Set(first?.passIds)).toEqual(new Set([mine.id, theirs.id]));
    const tag = first?.tag ?? "";
    expect(await backend.updatedPasses("apple", "phone", tag)).toBeNull();
    await acme.stamps.add(mine.id);
    expect(await backend.updatedPasses("apple", "phone", tag)).toBeNull();
    await follow();
    const second = await backend.updatedPasses("apple", "phone", tag);
    expect(second?.passIds).toEqual([mine.id]);
    await globex.stamps.add(theirs.id);
    await follow("globex");
    expect((await backend.updatedPasses("apple", "phone", second?.tag ?? ""))?.passIds).toEqual([theirs.id]);
    expect((await backend.updatedPasses("apple", "phone", "no tag of ours"))?.passIds).toHaveLength(2);
    expect(await backend.updatedPasses("apple", "another phone", null)).toBeNull();
  });
});
