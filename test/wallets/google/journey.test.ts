import { describe, expect, it } from "vitest";
import { runStep } from "../../../src/base/concurrency/step.js";
import { serviceInternals } from "../../../src/internals.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { openGoogle } from "./google-scene.js";

describe.each(everyAdapter)("a card at Google on $name", ({ open }) => {
  it("is followed through install, three stamps in one second, redemption, redesign, uninstall and erasure", async () => {
    const storage = await open();
    const shop = await openGoogle(storage);
    const { acme, clock, google, template, wallets, shown, status } = shop;
    const { id, qrCodeValue, url, objectId } = await shop.newPass();
    const classId = `${google.issuerId}.${template.id}`;

    expect(google.objects.size).toBe(0);
    expect(await status(id)).toBeNull();
    expect(await shop.save(url)).toBe(objectId);
    expect(await status(id)).toBe("INSTALLED");
    expect(shown(objectId)).toMatchObject({
      classId,
      state: "ACTIVE",
      barcode: { type: "QR_CODE", value: qrCodeValue },
      loyaltyPoints: { label: "Stamps", balance: { string: "0/5" } },
    });
    expect(google.classes.get(classId)).toMatchObject({
      programName: "Coffee card",
      reviewStatus: "UNDER_REVIEW",
      callbackOptions: { url: "https://shop.example/loyalty/wallets/google/callback" },
    });

    for (let stamp = 0; stamp < 3; stamp += 1) {
      await acme.stamps.add(id);
      clock.move(300);
      await wallets.runOnce();
    }
    expect(shown(objectId)).toMatchObject({ loyaltyPoints: { balance: { string: "3/5" } } });
    expect(google.notifications).toEqual(["4 more to go", "3 more to go", "2 more to go"]);

    clock.move(86_400_000);
    await acme.stamps.add(id, { count: 2 });
    await wallets.runOnce();
    expect(shown(objectId)).toMatchObject({
      loyaltyPoints: { balance: { string: "0/5" } },
      secondaryLoyaltyPoints: { label: "Rewards", balance: { int: 1 } },
    });
    expect(google.notifications.at(-1)).toBe("A reward is waiting for you");
    await acme.stamps.redeem(id);
    await wallets.runOnce();
    expect(shown(objectId)).toMatchObject({ secondaryLoyaltyPoints: { balance: { int: 0 } } });

    await acme.templates.update(template.id, { design: { backgroundColor: "#102030" } });
    await wallets.runOnce();
    expect(google.classes.get(classId)).toMatchObject({ hexBackgroundColor: "#102030" });

    await google.remove(objectId);
    expect(await status(id)).toBe("UNINSTALLED");
    clock.move(60_000);
    await shop.save(url);
    expect(await status(id)).toBe("INSTALLED");

    const { userId } = await acme.passes.get(id);
    await acme.users.erase(userId);
    await wallets.runOnce();
    expect(shown(objectId)).toMatchObject({ state: "INACTIVE" });
    expect(shown(objectId)).not.toHaveProperty("barcode");
    expect((await shop.follow(url)).status).toBe(404);
    expect(await runStep(storage.all.findWalletPass(id))).toBeNull();
    expect([...google.complaints, ...shop.errors]).toEqual([]);
  });

  it("stays stored after it is revoked while a phone also has it", async () => {
    const storage = await open();
    const { acme, loyalty, google, wallets, newPass, save, shown } = await openGoogle(storage);
    const { id, url, objectId } = await newPass();
    await save(url);
    const phone = { passId: id, platform: "apple", deviceId: "phone", pushToken: "token" } as const;
    const backend = serviceInternals(loyalty).createWalletBackend(0);
    await backend.devices.register("acme", phone);
    await acme.passes.delete(id);
    await wallets.runOnce();
    expect(shown(objectId)).toMatchObject({ state: "INACTIVE" });
    expect((await runStep(storage.all.findWalletPass(id)))?.card.atGoogleSince).toBeNull();
    await backend.devices.unregister("acme", phone);
    expect(await runStep(storage.all.findWalletPass(id))).toBeNull();
    expect(google.complaints).toEqual([]);
  });
});
