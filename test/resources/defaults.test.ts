import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";

describe("an omitted field", () => {
  it("is null, empty or off in a new object, and colors and shapes are those of a plain card", async () => {
    const { acme } = openAcme();
    const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    expect(template).toMatchObject({ key: null, reward: null, design: null });
    const designed = await acme.templates.create({ name: "Tea", type: "LOYALTY_CARD", design: {} });
    expect(designed).toMatchObject({ key: null, maxStamps: null, reward: null });
    expect(designed.design).toMatchObject({
      ...{ backgroundColor: "#FFFFFF", foregroundColor: "#111827", labelColor: "#4B5563" },
      ...{ logo: null, icon: null, strip: null, stamps: { shape: "CIRCLE", filled: null, empty: null } },
      ...{ texts: [], links: [], locations: [], expiresAt: null },
    });
    const texts = [{ language: "en" }];
    const named = await acme.templates.create({ name: "Cake", type: "LOYALTY_CARD", design: { texts } });
    expect(named.design?.texts).toEqual([
      {
        ...{ language: "en", title: null, description: null, stampsLabel: null, rewardsLabel: null },
        ...{ toGo: null, rewardReady: null, front: [], back: [], terms: null },
      },
    ]);
    const filter = { operator: "NOT" as const, conditions: [{ slug: "vip" }] };
    const segment = await acme.segments.create({ name: "All", filter });
    expect(segment).toMatchObject({ description: null, color: null, emitsEvents: false });
    const { app } = await acme.apps.create({
      name: "Till",
      redirectUris: ["https://till.example"],
      scopes: ["user:read"],
    });
    expect(app).toMatchObject({ isPublic: false });
    const message = await acme.messages.create({
      ...{ name: "Hello", audience: { filter }, channels: ["email"] },
      texts: [{ language: "en", subject: "Hello", text: "Hello" }],
    });
    expect(message).toMatchObject({
      ...{ templateId: null, order: "each", link: null, respectsCap: true },
      ...{ sendAt: null, expiresAt: null, showUntil: null },
    });
  });

  it("means one stamp, the library as the actor, and an immediate end of the previous secret", async () => {
    const { loyalty, acme } = openAcme();
    const { id: templateId } = await acme.templates.create({
      ...{ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 },
    });
    const { id } = await acme.passes.create(templateId, { user: { email: someEmail() } });
    expect(await acme.stamps.add(id)).toMatchObject({ currentStamps: 1 });
    await loyalty.organization("acme", { actor: { subject: "Ada" } }).stamps.add(id, { count: 2 });
    expect(await acme.stamps.remove(id)).toMatchObject({ currentStamps: 2 });
    const { content } = await acme.stamps.history(id, { subject: "Ada" });
    expect(content).toMatchObject([{ actor: { kind: "library", id: null, subject: "Ada" } }]);
    const former = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    await acme.apiTokens.rotate(former.apiToken.id);
    expect(await loyalty.verifyApiToken(former.token)).toBeNull();
  });

  it("means a minimum of one in a segment by rewards or completions of any card", async () => {
    const { acme } = openAcme();
    const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 2 });
    const filled = await acme.passes.create(id, { user: { email: someEmail() } });
    await acme.passes.create(id, { user: { email: someEmail() } });
    await acme.stamps.add(filled.id, { count: 3 });
    for (const condition of [{ rewards: {} }, { completions: {} }]) {
      const { content } = await acme.segments.query({ filter: { operator: "AND", conditions: [condition] } });
      expect(content.map((user) => user.id)).toEqual([filled.userId]);
    }
  });
});

describe("a list without a size", () => {
  it("is the first page, of 50, 20 or 100 items, newest or oldest first depending on its kind", async () => {
    const { acme } = openAcme();
    await acme.tags.create({ name: "Vip" });
    const emails = Array.from({ length: 101 }, (_, at) => `customer-${at}@example.com`);
    for (const email of emails) {
      const { id } = await acme.users.create({ email });
      await acme.tags.assign(id, "vip");
    }
    const vips = { operator: "AND" as const, conditions: [{ slug: "vip" }] };
    await acme.segments.create({ name: "Vips", filter: vips });
    const contacts = await acme.contacts.list();
    expect(contacts).toMatchObject({ number: 0, size: 50, totalElements: 101 });
    expect(contacts.content.map(({ email }) => email)).toEqual(emails.toReversed().slice(0, 50));
    expect(contacts.content[0]).not.toHaveProperty("stampProgress");
    expect(contacts).not.toHaveProperty("summary");
    for (const query of [acme.tags.query({ filter: vips }), acme.segments.query({ filter: vips })]) {
      expect(await query).toMatchObject({ number: 0, size: 20, totalElements: 101 });
      expect((await query).content).toHaveLength(20);
    }
    const members = await acme.segments.members("vips");
    expect(members).toMatchObject({ number: 0, size: 50 });
    expect(members.content.map(({ email }) => email)).toEqual(emails.slice(0, 50));
    expect((await acme.events.list()).content).toHaveLength(100);
    for (let nth = 0; nth < 101; nth += 1)
      await acme.apiTokens.create({
        name: `Till ${nth}`,
        scopes: ["user:read"],
      });
    expect((await acme.audit.list()).content).toHaveLength(100);
  });
});
