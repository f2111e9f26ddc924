import type { Scope } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { adapters } from "../kit/adapters.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { untyped } from "../kit/refusal.js";
import { DAY, openAutomatedShop } from "./automated-shop.js";

async function openScene(
  scopes: ("automation:manage" | "user_tag:write" | "user:read")[],
  expiresInMs?: number,
) {
  const shop = await openAutomatedShop(await adapters.memory());
  const { acme, automate, clock, storage } = shop;
  const expiresAt = expiresInMs === undefined ? null : new Date(clock.now + expiresInMs).toISOString();
  const { apiToken: maker } = await acme.apiTokens.create({ name: "Maker", scopes, expiresAt });
  const id = await automate({
    on: { event: "user.created" },
    do: [{ assignTag: "new" }],
    creatorId: maker.id,
  });
  const isEnabled = async () => (await runStep(storage.reader("acme").findAutomation(id)))?.isEnabled;
  return { ...shop, id, tokenId: maker.id, isEnabled };
}

describe("an automation created by a token", () => {
  const all = ["automation:manage", "user:read", "user_tag:write"] as const;

  it("does what the token may do", async () => {
    const { loyalty, createCustomer, listRuns, id, listTagSlugs, isEnabled } = await openScene([...all]);
    const ada = await createCustomer();
    await loyalty.runAutomations();
    expect(await listTagSlugs(ada.id)).toEqual(["new"]);
    expect(await listRuns(id)).toMatchObject([{ status: "DONE" }]);
    expect(await isEnabled()).toBe(true);
  });

  it("fails and is disabled once the token is revoked, and its waiting runs are skipped", async () => {
    const { acme, loyalty, createCustomer, listRuns, id, tokenId, listTagSlugs, isEnabled } = await openScene(
      [...all],
    );
    const [ada, bob] = [await createCustomer(), await createCustomer()];
    await acme.apiTokens.delete(tokenId);
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([
      { status: "FAILED", reason: "access_denied" },
      { status: "SKIPPED", reason: "disabled" },
    ]);
    expect([await listTagSlugs(ada.id), await listTagSlugs(bob.id), await isEnabled()]).toEqual([
      [],
      [],
      false,
    ]);
    await createCustomer();
    await loyalty.runAutomations();
    expect(await listRuns(id)).toHaveLength(2);
  });

  it("fails once the token has expired, or if it lacks a scope for the actions", async () => {
    const expiredScene = await openScene([...all], 1_000);
    expiredScene.clock.move(1_000);
    const narrow = await openScene(["automation:manage", "user:read"]);
    for (const { createCustomer, loyalty, listRuns, id, isEnabled } of [expiredScene, narrow]) {
      await createCustomer();
      await loyalty.runAutomations();
      expect(await listRuns(id)).toMatchObject([{ status: "FAILED", reason: "access_denied" }]);
      expect(await isEnabled()).toBe(false);
    }
  });

  describe.each(everyAdapter)("changed by another token, on $name", ({ open }) => {
    const scopes: Scope[] = ["automation:manage", "user:read", "message:send"];
    const message = {
      channels: ["email"],
      texts: [{ language: "en", subject: "Hi", text: "There is coffee." }],
    };

    /**
     * Opens a shop whose automation assigns a tag after a day. One run is waiting when the automation is changed to
     * send a message.
     */
    async function openShopWithChange() {
      const shop = await openAutomatedShop(await open());
      const { acme, loyalty, createCustomer } = shop;
      serviceInternals(loyalty).backends.mail.attachSender({ host: "mail.example" });
      const actWithToken = async (name: string, scopes: readonly Scope[]) => {
        const { apiToken } = await acme.apiTokens.create({ name, scopes: [...scopes] });
        const actor = { kind: "token", id: apiToken.id } as const;
        return { id: apiToken.id, acme: loyalty.organization("acme", { scopes, actor }) };
      };
      const [maker, editor] = [await actWithToken("Maker", all), await actWithToken("Editor", scopes)];
      const { id } = await maker.acme.automations.create({
        ...{ name: "Welcome", on: { event: "user.created" }, after: 1, do: [{ assignTag: "new" }] },
      });
      const ada = await createCustomer();
      await loyalty.runAutomations();
      await editor.acme.automations.update(id, untyped({ do: [{ message }] }));
      const bob = await createCustomer();
      await loyalty.runAutomations();
      return { ...shop, id, maker, editor, ada, bob };
    }

    it("finishes waiting runs of the previous version with the rights of that version's creator", async () => {
      const { passTime, listRuns, listTagSlugs, id, ada, bob } = await openShopWithChange();
      await passTime(DAY);
      expect(await listRuns(id)).toMatchObject([
        { userId: ada.id, version: 1, status: "DONE" },
        { userId: bob.id, version: 2, status: "DONE" },
      ]);
      expect(await listTagSlugs(ada.id)).toEqual(["new"]);
    });

    it("fails waiting runs of the previous version once its creator's token is revoked, and stays enabled", async () => {
      const { acme, passTime, listRuns, listTagSlugs, id, maker, ada, bob } = await openShopWithChange();
      await acme.apiTokens.delete(maker.id);
      await passTime(DAY);
      expect(await listRuns(id)).toMatchObject([
        { userId: ada.id, version: 1, status: "FAILED", reason: "access_denied" },
        { userId: bob.id, version: 2, status: "DONE" },
      ]);
      expect(await listTagSlugs(ada.id)).toEqual([]);
      expect(await acme.automations.get(id)).toMatchObject({ isEnabled: true });
    });

    it("finishes runs of the previous version, but fails the others once the other token is revoked", async () => {
      const { acme, passTime, listRuns, listTagSlugs, id, editor, ada, bob } = await openShopWithChange();
      await acme.apiTokens.delete(editor.id);
      await passTime(DAY);
      expect(await listRuns(id)).toMatchObject([
        { userId: ada.id, version: 1, status: "DONE" },
        { userId: bob.id, version: 2, status: "FAILED", reason: "access_denied" },
      ]);
      expect(await listTagSlugs(ada.id)).toEqual(["new"]);
      expect(await acme.automations.get(id)).toMatchObject({ isEnabled: false });
    });
  });

  describe.each(everyAdapter)("on $name", ({ open }) => {
    it("fails once a segment in its condition reads data that the token may not, without revealing members", async () => {
      const { acme, loyalty, createCustomer, listRuns, listTagSlugs } = await openAutomatedShop(await open());
      const scopes: Scope[] = [...all, "segment:read", "user_tag:read"];
      const { apiToken: maker } = await acme.apiTokens.create({ name: "Maker", scopes });
      const tokenCaller = loyalty.organization("acme", { scopes, actor: { kind: "token", id: maker.id } });
      const negate = (leaf: object) => untyped({ operator: "NOT", conditions: [leaf] });
      await acme.segments.create({ name: "Inner", filter: negate({ slug: "gone" }) });
      await acme.segments.create({ name: "Outer", filter: negate({ segment: "inner" }) });
      const { id } = await tokenCaller.automations.create({
        name: "Welcome",
        on: { event: "user.created" },
        if: negate({ segment: "outer" }),
        do: [{ assignTag: "new" }],
      });
      const ada = await createCustomer();
      await loyalty.runAutomations();
      expect(await listTagSlugs(ada.id)).toEqual(["new"]);
      const { id: templateId } = (await acme.templates.list())[0] ?? { id: "" };
      await acme.segments.update("inner", { filter: negate({ stamps: { templateId } }) });
      const bob = await createCustomer();
      expect(await acme.automations.test(id, { userId: bob.id })).toMatchObject({
        ...{ wouldRun: false, reason: "access_denied" },
      });
      await loyalty.runAutomations();
      expect(await listRuns(id)).toMatchObject([
        { status: "DONE", userId: ada.id },
        { status: "FAILED", reason: "access_denied", userId: bob.id },
      ]);
      expect(await listTagSlugs(bob.id)).toEqual([]);
      expect(await acme.automations.get(id)).toMatchObject({ isEnabled: false });
    });
  });

  it("fails even if its condition would have skipped the run", async () => {
    const { acme, loyalty, createCustomer, listRuns, automate } = await openAutomatedShop(
      await adapters.memory(),
    );
    const { apiToken: maker } = await acme.apiTokens.create({ name: "Maker", scopes: [...all] });
    const id = await automate({
      on: { event: "user.created" },
      if: { operator: "AND", conditions: [{ slug: "vip" }] },
      do: [{ assignTag: "new" }],
      creatorId: maker.id,
    });
    await createCustomer();
    await loyalty.runAutomations();
    expect(await listRuns(id)).toMatchObject([{ status: "FAILED", reason: "access_denied" }]);
  });
});
