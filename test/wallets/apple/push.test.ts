import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openWallets } from "./wallets-scene.js";

async function openStamped(count = 1) {
  const shop = await openWallets(memoryStorage());
  const phone = shop.newPhone();
  const passes = [];
  for (let at = 0; at < count; at += 1) {
    const pass = await shop.newPass();
    await phone.add(pass.url);
    await shop.acme.stamps.add(pass.id);
    passes.push(pass);
  }
  const [first] = passes;
  return { ...shop, phone, passes, id: first?.id ?? "" };
}

describe("a push to a phone", () => {
  it("is sent once per token, whatever the number of passes and stamps", async () => {
    const { acme, passes, deliver, apns, phone } = await openStamped(3);
    for (const { id } of passes) await acme.stamps.add(id);
    expect(await deliver()).toBe(1);
    expect(apns.pushes).toEqual([{ pushToken: phone.pushToken, topic: "pass.test.loyalty" }]);
    expect(phone.messages).toEqual(["3 more to go", "3 more to go", "3 more to go"]);
    expect(await deliver()).toBe(0);
  });

  it.each([
    { status: 429, reason: "TooManyRequests" },
    { status: 500, reason: "InternalServerError" },
    { status: 503, reason: "ServiceUnavailable" },
    "goaway",
    "drop",
  ] as const)("is retried later after %o", async (fault) => {
    const { apns, clock, deliver, errors, acme, id } = await openStamped();
    apns.script(fault);
    expect(await deliver()).toBe(0);
    expect(await deliver()).toBe(0);
    clock.move(6_000);
    expect(await deliver()).toBe(1);
    expect(errors).toEqual([]);
    expect((await acme.passes.get(id)).installationStatus).toBe("INSTALLED");
  });

  it.each([
    { status: 410, reason: "Unregistered" },
    { status: 400, reason: "BadDeviceToken" },
    { status: 400, reason: "DeviceTokenNotForTopic" },
  ])("ends the registrations of its token after %o", async (fault) => {
    const { apns, clock, deliver, acme, id } = await openStamped(2);
    clock.move(60_000);
    apns.script(fault);
    expect(await deliver()).toBe(0);
    expect((await acme.passes.get(id)).installationStatus).toBe("UNINSTALLED");
    clock.move(100_000);
    await acme.stamps.add(id);
    expect(await deliver()).toBe(0);
  });

  it("doesn't end a registration that is newer than the end of the token", async () => {
    const { apns, clock, deliver, acme, id } = await openStamped();
    apns.script({ status: 410, reason: "Unregistered", timestamp: clock.now - 1 });
    await deliver();
    expect((await acme.passes.get(id)).installationStatus).toBe("INSTALLED");
    clock.move(6_000);
    expect(await deliver()).toBe(1);
  });

  it("is retried for a phone that registered its token again after the token's end", async () => {
    const { apns, clock, deliver, acme, phone, passes, id } = await openStamped();
    clock.move(60_000);
    const timestamp = clock.now;
    clock.move(60_000);
    await phone.add(passes[0]?.url ?? "");
    await acme.stamps.add(id);
    apns.script({ status: 410, reason: "Unregistered", timestamp });
    expect(await deliver()).toBe(0);
    expect((await acme.passes.get(id)).installationStatus).toBe("INSTALLED");
    clock.move(6_000);
    expect(await deliver()).toBe(1);
    expect(phone.messages.at(-1)).toBe("3 more to go");
  });

  it("is sent with the next stamp to a phone that removed the pass and added it again", async () => {
    const { acme, clock, deliver, phone, passes, id } = await openStamped();
    await deliver();
    await phone.remove(id);
    await phone.add(passes[0]?.url ?? "");
    await acme.stamps.add(id);
    clock.move(2_000);
    expect(await deliver()).toBe(1);
  });

  it("is given up and reported when it is refused for another reason", async () => {
    const { apns, clock, deliver, errors } = await openStamped();
    apns.script({ status: 403, reason: "BadCertificate" });
    expect(await deliver()).toBe(0);
    clock.move(100_000);
    expect(await deliver()).toBe(0);
    expect(errors).toEqual([new Error("Apple's push service rejected a push: 403 BadCertificate")]);
  });

  it("is retried only for the phones that haven't received it", async () => {
    const { apns, clock, deliver, acme, newPhone, newPass } = await openWallets(memoryStorage());
    const { id, url } = await newPass();
    const [a, b] = [newPhone("a"), newPhone("b")];
    await a.add(url);
    await b.add(url);
    await acme.stamps.add(id);
    apns.fail(b.pushToken, { status: 500 });
    expect(await deliver()).toBe(1);
    apns.fail(b.pushToken, null);
    clock.move(6_000);
    expect(await deliver()).toBe(1);
    expect(apns.pushes.map(({ pushToken }) => pushToken)).toEqual([a.pushToken, b.pushToken]);
  });
});
