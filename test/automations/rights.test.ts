import { describe, expect, it } from "vitest";
import { run } from "../../src/concurrency/step.js";
import { adapters } from "../kit/adapters.js";
import { automatedShop } from "./automated-shop.js";

async function scene(scopes: ("automation:manage" | "user_tag:write" | "user:read")[], expiresInMs?: number) {
  const shop = await automatedShop(await adapters.memory());
  const { acme, automate, clock, storage } = shop;
  const expiresAt = expiresInMs === undefined ? null : new Date(clock.now + expiresInMs).toISOString();
  const { apiToken: maker } = await acme.apiTokens.create({ name: "Maker", scopes, expiresAt });
  const id = await automate({
    on: { event: "user.created" },
    do: [{ assignTag: "new" }],
    makerId: maker.id,
  });
  const isEnabled = async () => (await run(storage.findAutomation("acme", id)))?.isEnabled;
  return { ...shop, id, tokenId: maker.id, isEnabled };
}

describe("an automation of a token", () => {
  const all = ["automation:manage", "user:read", "user_tag:write"] as const;

  it("does what the token may do", async () => {
    const { loyalty, customer, runs, id, slugs, isEnabled } = await scene([...all]);
    const ada = await customer();
    await loyalty.runAutomations();
    expect(await slugs(ada.id)).toEqual(["new"]);
    expect(await runs(id)).toMatchObject([{ status: "DONE" }]);
    expect(await isEnabled()).toBe(true);
  });

  it("fails and is disabled once the token is revoked, and what waits is skipped", async () => {
    const { acme, loyalty, customer, runs, id, tokenId, slugs, isEnabled } = await scene([...all]);
    const [ada, bob] = [await customer(), await customer()];
    await acme.apiTokens.delete(tokenId);
    await loyalty.runAutomations();
    expect(await runs(id)).toMatchObject([
      { status: "FAILED", reason: "access_denied" },
      { status: "SKIPPED", reason: "disabled" },
    ]);
    expect([await slugs(ada.id), await slugs(bob.id), await isEnabled()]).toEqual([[], [], false]);
    await customer();
    await loyalty.runAutomations();
    expect(await runs(id)).toHaveLength(2);
  });

  it("fails once the token has expired, or lacks a scope of what it does", async () => {
    const expired = await scene([...all], 1_000);
    expired.clock.move(1_000);
    const narrow = await scene(["automation:manage", "user:read"]);
    for (const { customer, loyalty, runs, id, isEnabled } of [expired, narrow]) {
      await customer();
      await loyalty.runAutomations();
      expect(await runs(id)).toMatchObject([{ status: "FAILED", reason: "access_denied" }]);
      expect(await isEnabled()).toBe(false);
    }
  });
});
