import { fieldsOf } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { runStep } from "../../../src/base/concurrency/step.js";
import { everyAdapter } from "../../kit/every-adapter.js";
import { openWallets } from "./wallets-scene.js";

describe.each(everyAdapter)("a phone on $name", ({ open }) => {
  it("follows a card through install, three stamps in one second, redemption, redesign, uninstall and erasure", async () => {
    const storage = await open();
    const shop = await openWallets(storage);
    const { acme, clock, template, newPass, newPhone, deliver } = shop;
    const { id, url } = await newPass();
    const phone = newPhone();
    const getField = (key: string) => {
      const pass = phone.passes.get(id);
      return pass && fieldsOf(pass).get(key)?.value;
    };
    const getStatus = async () => (await acme.passes.get(id)).installationStatus;

    expect(await getStatus()).toBeNull();
    await phone.add(url);
    expect(await getStatus()).toBe("INSTALLED");

    for (let stamp = 0; stamp < 3; stamp += 1) {
      await acme.stamps.add(id);
      clock.move(300);
      await deliver();
    }
    expect(getField("stamps")).toBe("3/5");
    expect(phone.messages).toEqual(["4 more to go", "3 more to go", "2 more to go"]);

    await acme.stamps.add(id, { count: 2 });
    await deliver();
    expect([getField("stamps"), getField("rewards")]).toEqual(["0/5", 1]);
    expect(phone.messages.at(-1)).toBe("A reward is waiting for you");
    await acme.stamps.redeem(id);
    await deliver();
    expect([getField("rewards"), getField("next")]).toEqual([0, "5 more to go"]);

    await acme.templates.update(template.id, { design: { backgroundColor: "#102030" } });
    await deliver();
    expect(phone.passes.get(id)?.pass.backgroundColor).toBe("rgb(16, 32, 48)");

    const second = newPhone("ipad");
    await second.add(url);
    expect(await phone.remove(id)).toBe(200);
    expect(await getStatus()).toBe("INSTALLED");

    clock.move(60_000);
    second.erase();
    shop.apns.fail(second.pushToken, { status: 410, reason: "Unregistered", timestamp: clock.now });
    await acme.stamps.add(id);
    await deliver();
    expect(await getStatus()).toBe("UNINSTALLED");

    clock.move(60_000);
    await phone.add(url);
    expect(await getStatus()).toBe("INSTALLED");
    const { userId } = await acme.passes.get(id);
    await acme.users.erase(userId);
    await deliver();
    expect(phone.passes.get(id)?.pass).toMatchObject({ voided: true });
    expect(phone.passes.get(id)?.pass).not.toHaveProperty("barcodes");
    expect((await shop.api.fetch(new Request(url))).status).toBe(404);
    expect(await runStep(storage.reader("acme").walletDevicesOf([id]))).toEqual([]);
    expect(await phone.remove(id)).toBe(200);
    expect([...phone.complaints, ...second.complaints]).toEqual([]);
    expect(shop.errors).toEqual([]);
  });

  it("sees that its pass was revoked", async () => {
    const { acme, newPass, newPhone, deliver, api } = await openWallets(await open());
    const { id, url } = await newPass();
    const phone = newPhone();
    await phone.add(url);
    await acme.passes.delete(id);
    await deliver();
    expect(phone.passes.get(id)?.pass).toMatchObject({ voided: true });
    expect(phone.passes.get(id)?.pass).not.toHaveProperty("barcodes");
    expect((await api.fetch(new Request(url))).status).toBe(404);
    expect(await phone.remove(id)).toBe(200);
  });
});
