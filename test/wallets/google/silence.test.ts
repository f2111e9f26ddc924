import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openGoogle } from "./google-scene.js";

describe("while a server of Google accepts connections and doesn't respond", () => {
  it("a known token remains in use", async () => {
    const { google, newPass, save, acme, wallets, clock, shown } = await openGoogle(memoryStorage());
    const { id, url, objectId } = await newPass();
    await save(url);
    google.hush("tokens");
    clock.move(3_500_000);
    await acme.stamps.add(id);
    await wallets.runOnce();
    expect(shown(objectId)).toMatchObject({ loyaltyPoints: { balance: { string: "1/5" } } });
    await expect.poll(() => google.unanswered).toBe(1);
    await google.close();
  });

  it("known root keys remain in use", async () => {
    const { google, newPass, save, clock, status } = await openGoogle(memoryStorage());
    const { id, url, objectId } = await newPass();
    await save(url);
    google.hush("keys");
    clock.move(3_600_000);
    expect(await google.callBack(objectId, "del")).toBe(200);
    expect(await status(id)).toBe("UNINSTALLED");
    expect(google.unanswered).toBe(1);
    await google.close();
  });

  it("an unanswered call blocks no other card", async () => {
    const { google, newPass, save, acme, wallets, shown } = await openGoogle(memoryStorage());
    const [hanging, well] = [await newPass(), await newPass()];
    for (const { url } of [hanging, well]) await save(url);
    const listBalances = () => {
      // Not awaited, because `runOnce()` also waits for the call that hangs.
      void wallets.runOnce();
      return [hanging, well].map(({ objectId }) => shown(objectId).loyaltyPoints);
    };
    const matchBalance = (string: string) => expect.objectContaining({ balance: { string } });
    google.hush("calls");
    await acme.stamps.add(hanging.id);
    void wallets.runOnce();
    await expect.poll(() => google.unanswered).toBe(1);
    google.hush();
    for (const stamps of ["1/5", "2/5"]) {
      await acme.stamps.add(well.id);
      await expect.poll(listBalances).toEqual([matchBalance("0/5"), matchBalance(stamps)]);
    }
    expect(google.unanswered).toBe(1);
    await google.close();
  });
});
