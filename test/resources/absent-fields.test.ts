import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, untyped, wrongType } from "../kit/refusal.js";

describe.each(everyAdapter)("absent fields on $name", ({ open }) => {
  it("are null in a user, and metadata is an empty object", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const user = await acme.users.create({ email: "ada@example.com" });
    expect(user).toEqual({
      id: expect.stringMatching(/^usr_[0-9a-f-]{36}$/),
      object: "user",
      email: "ada@example.com",
      name: null,
      phone: null,
      externalId: null,
      metadata: {},
      createdAt: clock.timestamp,
      updatedAt: clock.timestamp,
    });
    expect(await acme.users.get(user.id)).toEqual(user);
  });

  it("are the same as null when a user is created", async () => {
    const { acme } = openAcme({ storage: await open() });
    const user = await acme.users.create({ email: someEmail(), name: null, phone: null, externalId: null });
    expect(user).toMatchObject({ name: null, phone: null, externalId: null });
    const { id } = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD", maxStamps: null });
    const owner = { email: someEmail(), name: null, phone: null, externalId: null };
    const pass = await acme.passes.create(id, { user: owner });
    expect(await acme.users.get(pass.userId)).toMatchObject({ ...owner, metadata: {} });
  });

  it("remain unchanged in a PATCH, while null clears name, phone and externalId", async () => {
    const { acme } = openAcme({ storage: await open() });
    const ada = { email: "ada@example.com", name: "Ada", phone: "1", externalId: "a-1", metadata: { a: 1 } };
    const { id } = await acme.users.create(ada);
    expect(await acme.users.update(id, { phone: "2" })).toMatchObject({ ...ada, phone: "2" });
    expect(await acme.users.update(id, { name: null })).toMatchObject({ ...ada, name: null, phone: "2" });
    await acme.users.update(id, { phone: null, externalId: null });
    expect(await acme.users.get(id)).toMatchObject({
      ...ada,
      name: null,
      phone: null,
      externalId: null,
    });
  });

  it("are null in a tag, and the color has a default", async () => {
    const { acme } = openAcme({ storage: await open() });
    const tag = await acme.tags.create({ name: "VIP", description: null });
    expect(tag).toMatchObject({ object: "UserTag", slug: "vip", description: null, color: "#64748B" });
    expect(tag.id).toMatch(/^utag_[0-9a-f-]{36}$/);
    expect(await acme.tags.get("vip")).toEqual(tag);
  });

  it("remain unchanged in a PUT, while null clears a tag's description", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP", description: "Regulars", color: "#112233" });
    const existing = { name: "VIP", description: "Regulars", color: "#112233" };
    expect(await acme.tags.update("vip", {})).toMatchObject(existing);
    expect(await acme.tags.update("vip", { color: "#AABBCC" })).toMatchObject({
      ...existing,
      color: "#AABBCC",
    });
    expect(await acme.tags.update("vip", { description: null })).toMatchObject({ description: null });
    expect(await acme.tags.get("vip")).toMatchObject({ ...existing, description: null, color: "#AABBCC" });
  });

  it("that are unknown are ignored by a service that is not strict, including id and createdAt", async () => {
    const { acme } = openAcme({ storage: await open(), strict: false });
    const user = await acme.users.create(untyped({ email: someEmail(), id: "usr_1", nickname: "A" }));
    expect(user).not.toHaveProperty("nickname");
    expect(user.id).not.toBe("usr_1");
    const change = { id: "usr_1", createdAt: "2000-01-01T00:00:00.000Z", object: "admin" };
    expect(await acme.users.update(user.id, untyped(change))).toEqual(user);
  });
});

describe("null in a field that can't be cleared", () => {
  const template = { name: "Card", type: "STAMP_CARD", maxStamps: 5 } as const;

  it("has the wrong type when something is created", async () => {
    const { acme } = openAcme();
    const { id } = await acme.templates.create(template);
    const email = someEmail();
    const expectRefusal = async (call: Promise<unknown>, field: string) =>
      expect(await getErrorDetail(call)).toEqual(wrongType(field));
    await expectRefusal(acme.users.create(untyped({ email, metadata: null })), "metadata");
    await expectRefusal(acme.tags.create(untyped({ name: "VIP", color: null })), "color");
    await expectRefusal(acme.templates.create(untyped({ ...template, type: null })), "type");
    await expectRefusal(acme.passes.create(id, untyped({ userId: null })), "userId");
    await expectRefusal(acme.passes.create(id, untyped({ user: null })), "user");
    await expectRefusal(acme.apiTokens.create(untyped({ name: "Till", scopes: null })), "scopes");
    const pass = await acme.passes.create(id, { user: { email } });
    await expectRefusal(acme.stamps.add(pass.id, untyped({ count: null })), "count");
    await expectRefusal(acme.stamps.set(pass.id, untyped({ stamps: null })), "stamps");
  });

  it("has the wrong type in a change", async () => {
    const { acme } = openAcme();
    const user = await acme.users.create({ email: someEmail() });
    const { id } = await acme.templates.create(template);
    await acme.tags.create({ name: "VIP" });
    expect(await getErrorDetail(acme.users.update(user.id, untyped({ metadata: null })))).toEqual(
      wrongType("metadata"),
    );
    expect(await getErrorDetail(acme.tags.update("vip", untyped({ name: null, color: null })))).toEqual(
      wrongType("name", "color"),
    );
    expect(await getErrorDetail(acme.templates.update(id, untyped({ name: null, maxStamps: null })))).toEqual(
      wrongType("name", "maxStamps"),
    );
  });

  it("is a missing field if a name is required", async () => {
    const { acme } = openAcme();
    const required = { code: "validation_failed", fields: { name: expect.any(String) } };
    for (const name of [null, undefined]) {
      expect(await getErrorDetail(acme.tags.create(untyped({ name })))).toEqual(required);
      expect(await getErrorDetail(acme.templates.create(untyped({ ...template, name })))).toEqual(required);
      expect(await getErrorDetail(acme.apiTokens.create(untyped({ name, scopes: ["user:read"] })))).toEqual(
        required,
      );
    }
  });
});
