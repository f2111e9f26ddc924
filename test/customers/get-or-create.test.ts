import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped } from "../kit/refusal.js";

describe.each(everyAdapter)("users.upsert on $name", ({ open }) => {
  it("creates a user if none matches, and then changes the given fields", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const ada = await acme.users.upsert({ email: "ada@example.com", phone: "1", metadata: { a: 1 } });
    expect(await acme.users.get(ada.id)).toEqual(ada);
    clock.move(1_000);
    const named = await acme.users.upsert({ email: "ADA@example.com", name: "Ada", phone: null });
    const change = { email: "ADA@example.com", name: "Ada", phone: null, updatedAt: clock.timestamp };
    expect(named).toEqual({ ...ada, ...change });
  });

  it("updates the user with the external id, including the email", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: "ada@example.com", externalId: "7" });
    const movedUser = await acme.users.upsert({ email: "countess@example.com", externalId: "7" });
    expect([movedUser.id, movedUser.email]).toEqual([id, "countess@example.com"]);
  });

  it("gives the external id to the user with this email if they have none, and never takes another user's email", async () => {
    const { acme } = openAcme({ storage: await open() });
    const ada = await acme.users.create({ email: "ada@example.com" });
    expect((await acme.users.upsert({ email: "ada@example.com", externalId: "7" })).id).toBe(ada.id);
    await acme.users.create({ email: "grace@example.com", externalId: "8" });
    const takenError = {
      code: "user_already_exists",
      conflicts: { email_already_exists: ["ada@example.com"] },
    };
    for (const externalId of ["8", "9"]) {
      expect(await getErrorDetail(acme.users.upsert({ email: "ada@example.com", externalId }))).toEqual(
        takenError,
      );
    }
    expect((await acme.users.get("8")).email).toBe("grace@example.com");
  });

  it("emits an event for a creation or a change, and none when nothing changes", async () => {
    const { acme } = openAcme({ storage: await open() });
    for (const name of ["Ada", "Ada", "Ada L."]) await acme.users.upsert({ email: "ada@example.com", name });
    const { content } = await acme.events.list();
    expect(content.map(({ type }) => type)).toEqual(["user.created", "user.updated"]);
  });
});

describe.each(everyAdapter)("users.find on $name", ({ open }) => {
  it("finds a user by email in any case, only within the organization", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const ada = await acme.users.create({ email: "Ada@example.com" });
    expect(await acme.users.find({ email: "ADA@EXAMPLE.com" })).toEqual(ada);
    for (const email of ["da@example.com", "Ada@example.com ", "", "%"]) {
      expect(await acme.users.find({ email })).toBeNull();
    }
    const globex = loyalty.organization("globex");
    expect(await globex.users.find({ email: "Ada@example.com" })).toBeNull();
    expect(await getRefusedFields(acme.users.find(untyped({})))).toEqual(["email"]);
    expect(await getRefusedFields(acme.users.find({ email: "\0" }))).toEqual(["email"]);
  });
});

describe.each(everyAdapter)("passes.ensure on $name", ({ open }) => {
  it("issues a pass to a user who has none of the template, and returns that pass from then on", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    const other = await acme.templates.create({ name: "Other", type: "LOYALTY_CARD" });
    const { id } = await acme.users.create({ email: someEmail(), externalId: "7" });
    await acme.passes.create(other.id, { userId: id });
    await acme.passes.create(card.id, { userId: id }, { isPreviewPass: true });
    const pass = await acme.passes.ensure(card.id, { userId: "7" });
    expect(await acme.passes.lookup(pass.qrCodeValue)).toEqual(pass);
    await acme.stamps.add(pass.id, { count: 2 });
    await acme.passes.create(card.id, { userId: id });
    const repeatedPass = await acme.passes.ensure(card.id, { userId: id });
    expect(repeatedPass).toMatchObject({
      id: pass.id,
      isPreviewPass: false,
      stampProgress: { currentStamps: 2 },
    });
    expect(await acme.passes.ofUser(id)).toHaveLength(4);
  });

  it("creates a user with the pass, and leaves an existing user unchanged", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const user = { email: "ada@example.com", externalId: "7", name: "Ada" };
    const { id, userId } = await acme.passes.ensure(card.id, { user });
    expect((await acme.passes.ensure(card.id, { user: { ...user, name: "Somebody" } })).id).toBe(id);
    expect(await acme.users.get(userId)).toMatchObject(user);
    const { content } = await acme.events.list();
    const types = ["template.created", "user.created", "pass.created"];
    expect(content.map(({ type }) => type)).toEqual(types);
  });

  it("refuses what create refuses, and stores nothing", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const user = { email: someEmail() };
    expect(await getErrorDetail(acme.passes.ensure("none", { user }))).toEqual(notFound);
    expect(await getErrorDetail(acme.passes.ensure(card.id, { userId: "nobody" }))).toEqual(notFound);
    expect(await getRefusedFields(acme.passes.ensure(card.id, untyped({})))).toEqual(["userId"]);
    expect(await getRefusedFields(acme.passes.ensure(card.id, untyped({ user, userId: "7" })))).toEqual([
      "userId",
    ]);
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });
});
