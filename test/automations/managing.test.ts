import type { CreateAutomation, Scope } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { createWallets } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, notFound, untyped } from "../kit/refusal.js";
import { DAY, openAutomatedShop } from "./automated-shop.js";

const welcome = {
  name: "Welcome",
  on: { event: "user.created" },
  do: [{ assignTag: "new" }],
} satisfies CreateAutomation;

const text = { language: "en", subject: "Hello", text: "Hello {name}" };
const mail = { message: { channels: ["email" as const], texts: [text] } };

const withChanges = (changes: object) => untyped({ ...welcome, ...changes });

describe.each(everyAdapter)("an automation, on $name", ({ open }) => {
  it("is stored as created, with defaults for missing fields, and listed oldest first", async () => {
    const { acme, clock } = await openAutomatedShop(await open());
    const automation = await acme.automations.create(welcome);
    expect(automation).toEqual({
      id: expect.stringMatching(/^aut_/),
      object: "automation",
      ...welcome,
      ...{ isEnabled: true, version: 1, if: null, after: 0, per: "occasion" },
      ...{ createdAt: clock.timestamp, updatedAt: clock.timestamp },
    });
    expect(await acme.automations.get(automation.id)).toEqual(automation);
    clock.move(1);
    const birthday = await acme.automations.create({
      name: "Birthday",
      isEnabled: false,
      on: { date: { metadata: ["birthday"], at: "09:00" } },
      if: { operator: "NOT", conditions: [{ slug: "gone" }] },
      do: [mail],
      per: { everyDays: 300 },
    });
    expect(birthday).toMatchObject({
      on: { date: { metadata: ["birthday"], daysBefore: 0, at: "09:00" } },
      do: [{ message: { templateId: null, order: "each", link: null, respectsCap: true } }],
    });
    expect(await acme.automations.list()).toEqual([automation, birthday]);
  });

  it("starts for events after its creation, and lists its runs", async () => {
    const { acme, createCustomer, passTime, listTagSlugs } = await openAutomatedShop(await open());
    const before = await createCustomer();
    const { id } = await acme.automations.create(welcome);
    const after = await createCustomer();
    await passTime(0);
    expect([await listTagSlugs(before.id), await listTagSlugs(after.id)]).toEqual([[], ["new"]]);
    const { content, totalElements } = await acme.automations.runs(id);
    expect(totalElements).toBe(1);
    expect(content).toMatchObject([
      { object: "automation_run", automationId: id, userId: after.id, status: "DONE", reason: null },
    ]);
    expect(await acme.automations.ofUser(after.id, { status: "DONE" })).toMatchObject({ content });
    expect(await acme.automations.ofUser(after.id, { status: "FAILED" })).toMatchObject({ content: [] });
    expect((await acme.automations.ofUser(before.id)).totalElements).toBe(0);
  });

  it("finishes waiting runs in their version when it is changed, and skips them when it is disabled", async () => {
    const { acme, createCustomer, passTime, listTagSlugs } = await openAutomatedShop(await open());
    const { id } = await acme.automations.create({ ...welcome, after: 2 });
    const ada = await createCustomer();
    await passTime(0);
    const updated = await acme.automations.update(id, { do: [{ assignTag: "vip" }] });
    expect(updated).toMatchObject({ version: 2, after: 2 });
    const bob = await createCustomer();
    await passTime(2 * DAY);
    expect([await listTagSlugs(ada.id), await listTagSlugs(bob.id)]).toEqual([["new"], ["vip"]]);
    const eve = await createCustomer();
    await passTime(0);
    const disabledAutomation = await acme.automations.update(id, { isEnabled: false });
    expect(disabledAutomation).toMatchObject({ version: 2, isEnabled: false });
    await acme.automations.update(id, { isEnabled: true });
    await passTime(2 * DAY);
    expect(await listTagSlugs(eve.id)).toEqual([]);
    const runsOfEve = (await acme.automations.ofUser(eve.id)).content;
    expect(runsOfEve).toMatchObject([{ status: "SKIPPED", reason: "disabled", version: 2 }]);
  });

  it("skips its waiting runs when it is deleted, and its runs are still listed for the customer", async () => {
    const { acme, createCustomer, passTime } = await openAutomatedShop(await open());
    const { id } = await acme.automations.create({ ...welcome, after: 1 });
    const ada = await createCustomer();
    await passTime(0);
    await acme.automations.delete(id);
    await passTime(2 * DAY);
    await assertNotFound(acme.automations.get(id));
    await assertNotFound(acme.automations.runs(id));
    await assertNotFound(acme.automations.delete(id));
    expect((await acme.automations.ofUser(ada.id)).content).toMatchObject([
      { automationId: id, status: "SKIPPED", reason: "disabled" },
    ]);
  });

  it("isn't started by events that occurred while it was disabled", async () => {
    const { acme, createCustomer, passTime, listTagSlugs } = await openAutomatedShop(await open());
    const { id } = await acme.automations.create({ ...welcome, isEnabled: false });
    const ada = await createCustomer();
    await acme.automations.update(id, { isEnabled: true });
    const bob = await createCustomer();
    await passTime(0);
    expect([await listTagSlugs(ada.id), await listTagSlugs(bob.id)]).toEqual([[], ["new"]]);
  });

  it("changes nothing and emits no event when an update contains no difference", async () => {
    const { acme, clock } = await openAutomatedShop(await open());
    const automation = await acme.automations.create({ ...welcome, if: null });
    clock.move(5);
    const { name, on, do: actions } = welcome;
    expect(await acme.automations.update(automation.id, { name, on, do: actions, per: "occasion" })).toEqual(
      automation,
    );
    const { content } = await acme.events.list({ types: ["automation.created", "automation.updated"] });
    expect(content.map(({ type }) => type)).toEqual(["automation.created"]);
  });

  it("is disabled, with an event, when its creator loses the permissions for its actions", async () => {
    const { acme, loyalty, createCustomer, passTime, listTagSlugs } = await openAutomatedShop(await open());
    const scopes = ["automation:manage", "user:read", "user_tag:write"] as const;
    const { apiToken } = await acme.apiTokens.create({ name: "Crew", scopes: [...scopes] });
    const actor = { kind: "token", id: apiToken.id } as const;
    const tokenCaller = loyalty.organization("acme", { scopes: [...scopes], actor });
    const { id } = await tokenCaller.automations.create(welcome);
    await acme.apiTokens.delete(apiToken.id);
    const ada = await createCustomer();
    await passTime(0);
    expect(await listTagSlugs(ada.id)).toEqual([]);
    expect((await acme.automations.runs(id)).content).toMatchObject([
      { status: "FAILED", reason: "access_denied" },
    ]);
    expect(await acme.automations.get(id)).toMatchObject({ isEnabled: false });
    const { content } = await acme.events.list({ types: ["automation.disabled"] });
    expect(content).toMatchObject([{ data: { id, isEnabled: false }, actor: { kind: "automation", id } }]);
  });

  it("grants rewards, which appear in the ledger and the day's statistics and can be reversed", async () => {
    const { acme, createHolder, passTime, template } = await openAutomatedShop(await open());
    const input = { on: { event: "pass.created" }, do: [{ giveReward: { templateId: template.id } }] };
    await acme.automations.create(withChanges(input));
    const { card } = await createHolder();
    await passTime(0);
    expect(await acme.stamps.state(card.id)).toMatchObject({ rewardsAvailable: 1, timesCompleted: 0 });
    const [entry] = (await acme.stamps.history(card.id)).content;
    expect(entry).toMatchObject({ type: "granted", delta: 0, completions: 0, actor: { kind: "automation" } });
    const { content } = await acme.events.list({ types: ["reward.granted"] });
    expect(content).toMatchObject([{ data: { walletPassId: card.id, rewardsAvailable: 1 } }]);
    expect(await acme.statistics.get({ days: 1 })).toMatchObject({ rewardsEarned: 1, rewardsRedeemed: 0 });
    await acme.stamps.redeem(card.id);
    expect(await getErrorDetail(acme.stamps.reverse(card.id, { entryId: entry?.id ?? "" }))).toMatchObject({
      code: "reward_already_redeemed",
    });
    const [redemption] = (await acme.stamps.history(card.id)).content;
    await acme.stamps.reverse(card.id, { entryId: redemption?.id ?? "" });
    await acme.stamps.reverse(card.id, { entryId: entry?.id ?? "" });
    expect(await acme.stamps.state(card.id)).toMatchObject({ rewardsAvailable: 0 });
    expect(await acme.statistics.get({ days: 1 })).toMatchObject({ rewardsEarned: 0, rewardsRedeemed: 0 });
  });

  it("previews what it would do for a customer, and changes nothing", async () => {
    const { acme, createCustomer, passTime, template } = await openAutomatedShop(await open());
    const ada = await createCustomer();
    const filter = { operator: "NOT", conditions: [{ slug: "vip" }] } as const;
    const actions = [{ assignTag: "vip" }, { addStamps: { templateId: template.id } }];
    const { id } = await acme.automations.create(withChanges({ if: filter, do: actions }));
    expect(await acme.automations.test(id, { userId: ada.id })).toMatchObject({
      ...{ wouldRun: false, reason: "resource_not_found", if: { matched: true } },
      actions: [
        { action: "assignTag", reason: null },
        { action: "addStamps", reason: "resource_not_found" },
      ],
    });
    await acme.passes.create(template.id, { userId: ada.id });
    expect(await acme.automations.test(id, { userId: ada.id })).toMatchObject({
      wouldRun: true,
      reason: null,
    });
    await acme.tags.assign(ada.id, "vip");
    expect(await acme.automations.test(id, { userId: ada.id })).toMatchObject({
      ...{ wouldRun: false, reason: "condition", if: { matched: false } },
    });
    await passTime(0);
    expect((await acme.automations.runs(id)).totalElements).toBe(0);
  });

  it("keeps the segments it uses from being deleted, and its trigger segment from turning events off", async () => {
    const { acme } = await openAutomatedShop(await open());
    const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
    const vips = await acme.segments.create({ name: "Vips", filter, emitsEvents: true });
    const { id } = await acme.automations.create(withChanges({ on: { segmentEntered: vips.slug } }));
    const inUseError = { code: "segment_in_use", params: [id] };
    expect(await getErrorDetail(acme.segments.delete(vips.slug))).toEqual(inUseError);
    expect(await getErrorDetail(acme.segments.update(vips.slug, { emitsEvents: false }))).toEqual(inUseError);
    const segmentFilter = { operator: "AND", conditions: [{ segment: vips.slug }] };
    await acme.automations.update(id, untyped({ on: { event: "user.created" }, if: segmentFilter }));
    expect(await getErrorDetail(acme.segments.delete(vips.slug))).toEqual(inUseError);
    await acme.automations.update(id, { if: null });
    await acme.segments.delete(vips.slug);
  });

  it("skips waiting runs whose earlier condition names a segment that was since deleted, even under NOT", async () => {
    const { acme, passTime, createCustomer, listRuns, listTagSlugs } = await openAutomatedShop(await open());
    const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
    await acme.segments.create({ name: "Vips", filter });
    const unlessVip = { operator: "NOT", conditions: [{ segment: "vips" }] } as const;
    const { id } = await acme.automations.create({ ...welcome, if: unlessVip, after: 2 });
    const [ada, bob] = [await createCustomer(), await createCustomer()];
    await passTime(0);
    await acme.automations.update(id, { if: null });
    await acme.segments.delete("vips");
    await passTime(DAY);
    await passTime(DAY);
    const skippedRun = { status: "SKIPPED", reason: "condition" };
    expect(await listRuns(id)).toMatchObject([skippedRun, skippedRun]);
    expect([await listTagSlugs(ada.id), await listTagSlugs(bob.id)]).toEqual([[], []]);
  });

  it("can't be created beyond the limit of automations", async () => {
    const { acme } = await openAutomatedShop(await open(), { limits: { automations: 2 } });
    const { id } = await acme.automations.create(welcome);
    await acme.automations.create(welcome);
    expect(await getErrorDetail(acme.automations.create(welcome))).toMatchObject({
      code: "too_many_automations",
    });
    await acme.automations.delete(id);
    await acme.automations.create(welcome);
  });

  it("requires the scopes of its actions and of the data it reads, in order", async () => {
    const { loyalty, template } = await openAutomatedShop(await open());
    serviceInternals(loyalty).backends.mail.attachSender({ host: "mail.example" });
    const { id: templateId } = template;
    const assertScopesNeeded = async (automation: object, ...scopes: Scope[]) => {
      for (const [at, scope] of scopes.entries()) {
        const organization = loyalty.organization("acme", { scopes: scopes.slice(0, at) });
        await expect(organization.automations.create(untyped(automation))).rejects.toMatchObject({
          detail: { code: "access_denied", scope },
        });
      }
      const all = loyalty.organization("acme", { scopes });
      await all.automations.create(untyped(automation));
    };
    await assertScopesNeeded(welcome, "automation:manage", "user:read", "user_tag:write");
    await assertScopesNeeded(withChanges({ do: [mail] }), "automation:manage", "user:read", "message:send");
    const stamps = { on: { event: "stamp.added" }, do: [{ addStamps: { templateId } }] };
    await assertScopesNeeded(withChanges(stamps), "automation:manage", "pass:read", "loyalty:manage");
    const filter = { operator: "AND", conditions: [{ slug: "vip" }] };
    await assertScopesNeeded(
      withChanges({ if: filter }),
      "automation:manage",
      "user:read",
      "user_tag:read",
      "user_tag:write",
    );
  });

  it("requires mail and wallets to be set up for its messages once it is enabled", async () => {
    const { acme, loyalty, template, createCustomer } = await openAutomatedShop(await open());
    const wallets = createWallets(loyalty, { publicUrl: "https://shop.example" });
    onTestFinished(() => wallets.close());
    const { id: templateId } = template;
    const shownText = { language: "en", wallet: "Hello" };
    const messageAction = { message: { templateId, channels: ["wallet" as const], texts: [shownText] } };
    const attempts = [
      ["mail_not_configured", mail],
      ["wallets_not_configured", messageAction],
    ] as const;
    const user = await createCustomer();
    for (const [code, action] of attempts) {
      const content = { ...welcome, do: [{ assignTag: "new" }, action] };
      expect(await getErrorDetail(acme.automations.create(content))).toEqual({ code, params: null });
      const { id } = await acme.automations.create({ ...content, isEnabled: false });
      expect(await getErrorDetail(acme.automations.update(id, { isEnabled: true }))).toMatchObject({ code });
      const { actions } = await acme.automations.test(id, { userId: user.id });
      expect(actions.map(({ reason }) => reason)).toEqual([null, code]);
      const { id: other } = await acme.automations.create(welcome);
      expect(await getErrorDetail(acme.automations.update(other, { do: [action] }))).toMatchObject({ code });
      expect(await acme.automations.get(other)).toMatchObject({ do: welcome.do, version: 1 });
    }
    expect(
      await getErrorDetail(acme.automations.create({ ...welcome, do: [{ assignTag: "none" }, mail] })),
    ).toEqual({
      code: "resource_not_found",
      params: null,
    });
  });

  it("can be disabled and renamed without the scopes of its actions, but not enabled", async () => {
    const { acme, loyalty } = await openAutomatedShop(await open());
    const { id } = await acme.automations.create(welcome);
    const { automations } = loyalty.organization("acme", { scopes: ["automation:manage"] });
    expect(await automations.update(id, { isEnabled: false, name: "Hi" })).toMatchObject({
      isEnabled: false,
    });
    const missingScopeError = { code: "access_denied", scope: "user:read" };
    expect(await getErrorDetail(automations.update(id, { isEnabled: true }))).toEqual(missingScopeError);
    expect(await getErrorDetail(automations.update(id, { isEnabled: true, after: 1 }))).toEqual(
      missingScopeError,
    );
  });
});

describe("a new automation", () => {
  const wrong: Readonly<Record<string, [changes: object, fields: Record<string, string>]>> = {
    "with no name": [{ name: " " }, { name: "must not be blank" }],
    "with two triggers": [
      { on: { event: "user.created", segmentEntered: "vip" } },
      { on: "must have exactly one of event, segmentEntered, date" },
    ],
    "with a card template for a new user": [
      { on: { event: "user.created", templateId: "tpl" } },
      { "on.templateId": "is only allowed with card events" },
    ],
    "with stamps to go for a full card": [
      { on: { event: "stamp_card.completed", toGo: 1 } },
      { "on.toGo": "is only allowed with stamp.added" },
    ],
    "with a trigger on a segment that doesn't exist": [
      { on: { segmentEntered: "nobody" } },
      { "on.segmentEntered": "must be the slug of a segment" },
    ],
    "with an invalid time of day": [
      { on: { date: { metadata: ["a"], at: "24:00" } } },
      { "on.date.at": "must be a time of the day as HH:MM" },
    ],
    "at no date": [
      { on: { date: { at: "09:00" } } },
      { "on.date": "must have exactly one of metadata, pointsExpiry" },
    ],
    "with a card template for a purchase": [
      { on: { event: "purchase.recorded", templateId: "tpl" } },
      { "on.templateId": "is only allowed with card events" },
    ],
    "with too few points": [
      { do: [{ givePoints: { templateId: "tpl", points: 0 } }] },
      { "do.0.givePoints.points": "must be at least 1" },
    ],
    "with a trigger too many days before a date": [
      { on: { date: { metadata: ["a"], daysBefore: 61, at: "09:00" } } },
      { "on.date.daysBefore": "must be at most 60" },
    ],
    "with a condition on a segment that doesn't exist": [
      { if: { operator: "AND", filters: [{ operator: "NOT", conditions: [{ segment: "none" }] }] } },
      { "if.filters.0.conditions.0.segment": "must be the slug of a segment" },
    ],
    "with an empty condition": [
      { if: { operator: "AND" } },
      { if: "must have at least one condition or filter" },
    ],
    "with too long a wait": [{ after: 31 }, { after: "must be at most 30" }],
    "that does nothing": [{ do: [] }, { do: "must not be empty" }],
    "with too many actions": [
      { do: Array(6).fill({ assignTag: "new" }) },
      { do: "must have at most 5 items" },
    ],
    "with two actions in one item": [
      { do: [{ assignTag: "new", unassignTag: "vip" }] },
      {
        "do.0": "must have exactly one of message, assignTag, unassignTag, addStamps, giveReward, givePoints",
      },
    ],
    "with an email without a subject": [
      {
        do: [
          { assignTag: "new" },
          { message: { channels: ["email"], texts: [{ language: "en", text: "Hi" }] } },
        ],
      },
      { "do.1.message.texts.0.subject": "is required for email" },
    ],
    "with a wallet message without a template": [
      { do: [{ message: { channels: ["wallet"], texts: [{ language: "en", wallet: "Hi" }] } }] },
      { "do.0.message.templateId": "is required for wallet" },
    ],
    "with a frequency of every 0 days": [
      { per: { everyDays: 0 } },
      { "per.everyDays": "must be at least 1" },
    ],
    "with an unknown frequency": [{ per: "daily" }, { per: "must be once, occasion or {everyDays}" }],
  };

  it.each(Object.entries(wrong))("is refused %s", async (_, [changes, fields]) => {
    const { acme } = await openAutomatedShop(memoryStorage());
    const detail = await getErrorDetail(acme.automations.create(withChanges(changes)));
    expect(detail).toEqual({ code: "validation_failed", fields });
  });

  it("is refused with a stamp trigger or a stamp or reward action for a template without stamps", async () => {
    const { acme } = await openAutomatedShop(memoryStorage());
    const { id: templateId } = await acme.templates.create({ name: "Members", type: "LOYALTY_CARD" });
    const createForEvent = (event: string) =>
      acme.automations.create(withChanges({ on: { event, templateId } }));
    const createWithAction = (action: object) =>
      acme.automations.create(withChanges({ do: [{ assignTag: "new" }, action] }));
    const templateError = (path: string) => ({
      code: "validation_failed",
      fields: { [path]: "must be a template with stamps" },
    });
    for (const event of ["stamp.added", "stamp_card.completed", "stamp_card.redeemed"])
      expect(await getErrorDetail(createForEvent(event))).toEqual(templateError("on.templateId"));
    const stamps = { addStamps: { templateId, count: 1 } };
    expect(await getErrorDetail(createWithAction(stamps))).toEqual(
      templateError("do.1.addStamps.templateId"),
    );
    const reward = { giveReward: { templateId } };
    expect(await getErrorDetail(createWithAction(reward))).toEqual(
      templateError("do.1.giveReward.templateId"),
    );
    await expect(createForEvent("pass.created")).resolves.toMatchObject({
      on: { event: "pass.created", templateId },
    });
  });

  it("is refused with a points expiry trigger or a points action for a template without points", async () => {
    const { acme, template } = await openAutomatedShop(memoryStorage());
    const { id: members } = await acme.templates.create({ name: "Members", type: "LOYALTY_CARD" });
    for (const templateId of [template.id, members]) {
      const on = { date: { pointsExpiry: templateId, at: "09:00" } };
      const actions = [{ givePoints: { templateId, points: 5 } }];
      expect(await getErrorDetail(acme.automations.create(withChanges({ on, do: actions })))).toEqual({
        code: "validation_failed",
        fields: {
          "on.date.pointsExpiry": "must be a template with points",
          "do.0.givePoints.templateId": "must be a template with points",
        },
      });
    }
  });

  it("is refused for a template or a tag that doesn't exist", async () => {
    const { acme } = await openAutomatedShop(memoryStorage());
    await assertNotFound(acme.automations.create(withChanges({ do: [{ assignTag: "none" }] })));
    for (const actions of [
      [{ giveReward: { templateId: "tpl_none" } }],
      [{ givePoints: { templateId: "tpl_none", points: 1 } }],
    ])
      await assertNotFound(acme.automations.create(withChanges({ do: actions })));
    const on = { date: { pointsExpiry: "tpl_none", at: "09:00" } };
    await assertNotFound(acme.automations.create(withChanges({ on })));
  });
});

async function assertNotFound(call: Promise<unknown>): Promise<void> {
  expect(await getErrorDetail(call)).toEqual(notFound);
}
