import type { LoyaltyService, Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { createPhone, openShop } from "../wallets/some-shop.js";

const times = (count: number) => Array.from({ length: count }, (_, nth) => nth);

/** Creates a card of ten stamps, and a customer who has it. */
async function createHolder(acme: Organization) {
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const pass = await acme.passes.create(id, { user: { email: "ada@example.com", name: "Ada Lovelace" } });
  return { templateId: id, passId: pass.id, userId: pass.userId };
}

/** Fills this many organizations in the same way. */
async function fillOrganizations(
  loyalty: LoyaltyService,
  count: number,
  fill: (organization: Organization) => Promise<unknown>,
) {
  for (const nth of times(count)) await fill(loyalty.organization(`shop-${nth}`));
}

describe("reading page by page", () => {
  it("covers each of 201 events that start an automation", async () => {
    const { loyalty, acme } = openAcme({ storage: memoryStorage() });
    await acme.tags.create({ name: "New" });
    await acme.automations.create({
      ...{ name: "Welcome", on: { event: "user.created" }, do: [{ assignTag: "new" }] },
    });
    for (const _ of times(201)) await acme.users.create({ email: someEmail() });
    await loyalty.runAutomations();
    const filter = { operator: "AND" as const, conditions: [{ slug: "new" }] };
    expect((await acme.tags.query({ filter })).totalElements).toBe(201);
  });

  it("covers each of 501 events that change cards", async () => {
    const { acme, backend, newCard, follow } = await openShop(memoryStorage());
    const [first, last] = [await newCard(), await newCard()];
    await backend.devices.register("acme", createPhone(first.id));
    await backend.devices.register("acme", createPhone(last.id));
    await follow();
    const before = await backend.updatedPasses("apple", "phone", null);
    for (const _ of times(500)) await acme.stamps.add(first.id);
    await acme.stamps.add(last.id);
    await follow();
    const after = await backend.updatedPasses("apple", "phone", before?.tag ?? "");
    expect(after?.passIds.toSorted()).toEqual([first.id, last.id].sort());
  });

  it("covers each of 201 cards whose design changes", async () => {
    const { acme, backend, template, follow } = await openShop(memoryStorage());
    for (const nth of times(201)) {
      const { id } = await acme.passes.create(template.id, { user: { email: someEmail() } });
      await acme.passes.walletLinks(id);
      await backend.devices.register("acme", createPhone(id, `phone ${nth}`));
    }
    await follow();
    const tags = [];
    for (const nth of times(201))
      tags.push((await backend.updatedPasses("apple", `phone ${nth}`, null))?.tag ?? "");
    await acme.templates.update(template.id, { design: { backgroundColor: "#000000" } });
    await follow();
    while (await backend.refreshNext("acme"));
    for (const [nth, tag] of tags.entries())
      expect((await backend.updatedPasses("apple", `phone ${nth}`, tag))?.passIds).toHaveLength(1);
  });

  it("covers all 501 events about a customer, in a dossier and in an erasure", async () => {
    const { acme } = openAcme({ storage: memoryStorage() });
    const { userId, passId } = await createHolder(acme);
    await acme.users.update(userId, { name: "Ada King" });
    for (const _ of times(501)) await acme.stamps.add(passId);
    await acme.users.update(userId, { name: "Countess" });
    const { events, passes } = await acme.users.dossier(userId);
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === "stamp.added")).toHaveLength(501);
    expect(types.at(-1)).toBe("user.updated");
    expect(passes[0]?.history).toHaveLength(501);
    const told = async () => {
      const all = [];
      for (let after: string | undefined; ; ) {
        const page = await acme.events.list({ limit: 1_000, ...(after !== undefined && { after }) });
        if (page.content.length === 0) return JSON.stringify(all);
        all.push(...page.content);
        after = page.next;
      }
    };
    expect(await told()).toContain("Countess");
    await acme.users.erase(userId);
    expect(await told()).not.toMatch(/Lovelace|King|Countess|ada@/);
  });

  it("covers each of 501 subjects of actors, when one of them is a customer who is erased", async () => {
    const { loyalty, acme } = openAcme({ storage: memoryStorage() });
    const { passId } = await createHolder(acme);
    const { id } = await acme.users.create({ email: "zoe@example.com" });
    const subjects = [...times(500).map((nth) => `till ${nth}`), "zoe@example.com"];
    for (const subject of subjects)
      await loyalty.organization("acme", { actor: { kind: "console", subject } }).stamps.add(passId);
    await acme.users.erase(id);
    const { content } = await acme.stamps.history(passId, { size: 1 });
    expect(content).toMatchObject([{ actor: { subject: null } }]);
    expect((await acme.stamps.history(passId, { subject: "till 499" })).totalElements).toBe(1);
  });

  it("covers each of 501 entries of the audit trail, when it is verified or searched for a token", async () => {
    const { loyalty, acme } = openAcme({ storage: memoryStorage() });
    const { apiToken } = await acme.apiTokens.create({ name: "Setup", scopes: ["webhook:manage"] });
    for (const _ of times(499)) {
      const { apiToken: another } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
      expect(another.id).not.toBe(apiToken.id);
    }
    const asToken = loyalty.organization("acme", { actor: { kind: "token", id: apiToken.id } });
    const { webhookEndpoint } = await asToken.webhooks.create({ url: "https://hooks.example" });
    expect(await acme.audit.verify()).toMatchObject({ entries: 501, brokenAt: null });
    expect(await acme.apiTokens.listCreated(apiToken.id)).toMatchObject({
      webhookEndpointIds: [webhookEndpoint.id],
    });
  });

  it("covers each of 501 events that are sent again", async () => {
    const { acme, clock } = openAcme({ storage: memoryStorage() });
    const { webhookEndpoint } = await acme.webhooks.create({ url: "https://hooks.example" });
    const since = clock.timestamp;
    for (const _ of times(501)) await acme.users.create({ email: someEmail() });
    clock.move(1_000);
    const replay = { since, until: clock.timestamp };
    expect(await acme.webhooks.replay(webhookEndpoint.id, replay)).toEqual({ deliveries: 501 });
    const { content } = await acme.events.list({ limit: 1 });
    await acme.webhooks.update(webhookEndpoint.id, { types: ["user_tag.created"] });
    expect(await acme.webhooks.replay(webhookEndpoint.id, replay)).toEqual({ deliveries: 0 });
    expect(content).toHaveLength(1);
  });

  it("covers each of 501 cards whose secrets are resealed with a new key", async () => {
    const storage = memoryStorage();
    const { acme, template } = await openShop(storage);
    for (const _ of times(501)) {
      const { id } = await acme.passes.create(template.id, { user: { email: someEmail() } });
      await acme.passes.walletLinks(id);
    }
    const { loyalty } = openAcme({ storage, secretKeys: [Buffer.alloc(32, 7).toString("base64")] });
    expect(await loyalty.secrets.reseal()).toMatchObject({ walletCards: 501 });
  });

  it("covers each of 201 organizations with segments, or with wallets", async () => {
    const { loyalty, clock } = openAcme({ storage: memoryStorage() });
    const backend = serviceInternals(loyalty).createWalletBackend(0);
    backend.attachLinker(() => ({ apple: "https://shop.example", google: null }));
    const filter = { operator: "AND" as const, conditions: [{ joined: { beforeDays: 1 } }] };
    await fillOrganizations(loyalty, 201, async (organization) => {
      await organization.segments.create({ name: "Known", filter, emitsEvents: true });
      const { passId } = await createHolder(organization);
      await organization.passes.walletLinks(passId);
    });
    clock.move(3 * 86_400_000);
    expect(await loyalty.refreshSegments({ acceptClock: true })).toMatchObject({ entered: 201, left: 0 });
    const certificate = {
      ...({ object: "wallet_certificate", platform: "apple", name: "pass.example" } as const),
      expiresAt: clock.timestamp,
    };
    await backend.reportExpiry(certificate, null);
    for (const nth of times(201)) {
      const { content } = await loyalty
        .organization(`shop-${nth}`)
        .events.list({ types: ["wallet_certificate.expiring"] });
      expect(content).toHaveLength(1);
    }
  });
});
