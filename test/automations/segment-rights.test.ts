import type { Scope } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { openAutomatedShop } from "./automated-shop.js";

const managingScopes: Scope[] = ["automation:manage", "segment:read", "user_tag:write"];

describe.each(everyAdapter)("an automation with a segment trigger, on $name", ({ open }) => {
  /** Opens a shop with a segment of customers who have stamps, defined through another segment. */
  async function openShop() {
    const shop = await openAutomatedShop(await open());
    const { acme, template, loyalty } = shop;
    const { id: templateId } = template;
    await acme.segments.create({
      name: "Stamped",
      filter: { operator: "AND", conditions: [{ stamps: { templateId, min: 1 } }] },
    });
    const filter = { operator: "OR" as const, conditions: [{ segment: "stamped" }] };
    await acme.segments.create({ name: "Regulars", filter, emitsEvents: true });
    const welcome = {
      name: "Welcome",
      on: { segmentEntered: "regulars" },
      do: [{ assignTag: "new" }],
    };
    const actWith = (...more: Scope[]) =>
      loyalty.organization("acme", { scopes: [...managingScopes, ...more] });
    return { ...shop, templateId, welcome, actWith };
  }

  it("requires the scopes of the segment's conditions to create, change or enable it", async () => {
    const { acme, welcome, actWith } = await openShop();
    const missing = { code: "access_denied", scope: "pass:read" };
    expect(await getErrorDetail(actWith().automations.create(welcome))).toMatchObject(missing);
    const { id } = await actWith("pass:read").automations.create(welcome);
    expect(await getErrorDetail(actWith().automations.update(id, { after: 1 }))).toMatchObject(missing);
    expect(await actWith().automations.update(id, { on: welcome.on })).toMatchObject({ version: 1 });
    await actWith().automations.update(id, { isEnabled: false });
    expect(await getErrorDetail(actWith().automations.update(id, { isEnabled: true }))).toMatchObject(
      missing,
    );
    const other = await acme.automations.create({ ...welcome, on: { event: "user.created" } });
    const mayRead = actWith("user:read");
    expect(await getErrorDetail(mayRead.automations.update(other.id, { on: welcome.on }))).toMatchObject(
      missing,
    );
  });

  it("lists its runs only to callers who may read what the segment reads", async () => {
    const { acme, welcome, actWith } = await openShop();
    const { id } = await acme.automations.create(welcome);
    const missing = { code: "access_denied", scope: "pass:read" };
    for (const query of [{}, { status: "DONE" as const }])
      expect(await getErrorDetail(actWith().automations.runs(id, query))).toMatchObject(missing);
    expect(await actWith("pass:read").automations.runs(id)).toMatchObject({ totalElements: 0 });
  });

  it("lists runs by customer and of earlier versions only to callers who may read all condition data", async () => {
    const { acme, welcome, actWith, createHolder, loyalty } = await openShop();
    const { id } = await acme.automations.create(welcome);
    const { card, user } = await createHolder();
    const userId = user.id;
    await acme.stamps.add(card.id);
    await loyalty.refreshSegments();
    await loyalty.runAutomations();
    expect(await acme.automations.runs(id)).toMatchObject({ content: [{ userId, version: 1 }] });
    await acme.automations.update(id, { on: { event: "user.created" } });
    const reader = actWith("user:read");
    expect(await getErrorDetail(reader.automations.runs(id))).toMatchObject({ code: "access_denied" });
    await reader.automations.delete(id);
    expect(await getErrorDetail(reader.automations.ofUser(userId))).toMatchObject({ code: "access_denied" });
    const all = actWith("user:read", "user_tag:read", "pass:read");
    expect(await all.automations.ofUser(userId)).toMatchObject({ content: [{ automationId: id }] });
  });

  it("no longer runs once the segment reads data that its creator may not", async () => {
    const { acme, welcome, loyalty, createHolder, listTagSlugs, templateId } = await openShop();
    const givenScopes: Scope[] = [...managingScopes, "pass:read", "api_token:manage"];
    const { apiToken } = await acme.apiTokens.create({ name: "till", scopes: givenScopes });
    const actor = { kind: "token", id: apiToken.id } as const;
    const { automations } = loyalty.organization("acme", { scopes: givenScopes, actor });
    const { id } = await automations.create(welcome);
    const stampsFilter = { stamps: { templateId, min: 1 } };
    await acme.segments.update("stamped", {
      filter: { operator: "AND", conditions: [stampsFilter, { joined: { withinDays: 9 } }] },
    });
    const { card, user } = await createHolder();
    await acme.stamps.add(card.id);
    await loyalty.refreshSegments();
    await loyalty.runAutomations();
    expect(await listTagSlugs(user.id)).toEqual([]);
    expect(await acme.automations.get(id)).toMatchObject({ isEnabled: false });
  });
});
