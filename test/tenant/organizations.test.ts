import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped } from "../kit/refusal.js";

describe("an organization's id", () => {
  it.each(["a", "acme", "Größe 1", "a/b", "😀".repeat(100), "__proto__", "constructor", "usr_1"])(
    "may be %s",
    async (id) => {
      const { loyalty } = openAcme();
      const organization = loyalty.organization(id);
      expect(organization.id).toBe(id);
      const user = await organization.users.create({ email: someEmail() });
      expect(await loyalty.organization(id).users.get(user.id)).toEqual(user);
    },
  );

  it.each(["", " ", "a".repeat(101), "a\0", "\uD800", `a${"\u0301\u0316".repeat(30_000)}`])(
    "may not be %j",
    async (id) => {
      const { loyalty } = openAcme();
      expect(await getRefusedFields((async () => loyalty.organization(id))())).toEqual(["organizationId"]);
    },
  );
});

describe.each(everyAdapter)("organizations on $name", ({ open }) => {
  it("see and change nothing of each other", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const user = await acme.users.create({ email: "ada@example.com", externalId: "7" });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.assign(user.id, "vip");
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await acme.passes.create(card.id, { userId: user.id });
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });

    const globex = loyalty.organization("globex");
    const own = await globex.users.create({ email: someEmail() });
    for (const call of [
      () => globex.users.get(user.id),
      () => globex.users.get("7"),
      () => globex.users.update(user.id, { name: "Eve" }),
      () => globex.users.delete("7"),
      () => globex.tags.get("vip"),
      () => globex.tags.update("vip", { name: "Eve" }),
      () => globex.tags.delete("vip"),
      () => globex.tags.assign(own.id, "vip"),
      () => globex.tags.unassign(user.id, "vip"),
      () => globex.tags.ofUser(user.id),
      () => globex.tags.users("vip"),
      () => globex.templates.get(card.id),
      () => globex.templates.update(card.id, { name: "Eve" }),
      () => globex.templates.delete(card.id),
      () => globex.passes.create(card.id, { userId: own.id }),
      () => globex.passes.get(pass.id),
      () => globex.passes.ofUser(user.id),
      () => globex.passes.lookup(pass.qrCodeValue),
      () => globex.passes.markInstalled(pass.id),
      () => globex.passes.delete(pass.id),
      () => globex.stamps.state(pass.id),
      () => globex.stamps.add(pass.id),
      () => globex.stamps.history(pass.id),
      () => globex.apiTokens.delete(apiToken.id),
    ]) {
      expect(await getErrorDetail(call())).toEqual(notFound);
    }
    expect(await collect(globex.users.list())).toEqual([own]);
    expect((await globex.contacts.list({ search: "ada" })).totalElements).toBe(0);
    expect((await globex.contacts.list({ templateId: card.id })).totalElements).toBe(0);
    const everybody = { operator: "NOT", conditions: [{ slug: "vip" }] } as const;
    expect((await globex.tags.query({ filter: everybody })).content).toEqual([own]);
    expect([await globex.tags.list(), await globex.templates.list(), await globex.apiTokens.list()]).toEqual([
      [],
      [],
      [],
    ]);

    expect(await acme.users.get(user.id)).toEqual(user);
    expect(await acme.passes.get(pass.id)).toEqual(pass);
    expect((await acme.stamps.history(pass.id)).totalElements).toBe(0);
    expect((await acme.tags.query({ filter: everybody })).totalElements).toBe(0);
  });

  it("may use the same emails, external ids and slugs", async () => {
    const { loyalty } = openAcme({ storage: await open() });
    for (const id of ["acme", "ACME", "acme ", "acmé", "acme\u0301"]) {
      const organization = loyalty.organization(id);
      const user = await organization.users.create({ email: "ada@example.com", externalId: "7" });
      await organization.tags.create({ name: "VIP" });
      await organization.tags.assign("7", "vip");
      expect(await collect(organization.tags.users("vip"))).toEqual([user]);
    }
  });
});

it("a service refuses a storage that wasn't awaited", () => {
  const storage = untyped(Promise.resolve(memoryStorage()));
  expect(() => new LoyaltyService({ storage })).toThrow(/await it/);
});
