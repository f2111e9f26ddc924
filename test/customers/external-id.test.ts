import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound } from "../kit/refusal.js";

describe("an external id", () => {
  it("may not have the shape of a service id", async () => {
    const { acme } = openAcme();
    const { id } = await acme.users.create({ email: someEmail() });
    const takenIds = [id, id.toUpperCase().replace("USR", "usr"), "usr_018bcfe5-6800-7000-8000-0123456789ab"];
    for (const externalId of takenIds) {
      expect(await getRefusedFields(acme.users.create({ email: someEmail(), externalId }))).toEqual([
        "externalId",
      ]);
      expect(await getRefusedFields(acme.users.update(id, { externalId }))).toEqual(["externalId"]);
    }
  });

  it.each(["7", "usr_1", "usr_", "a/b?c#d", "ü", "018bcfe5-6800-7000-8000-0123456789ab", "...", "%2e"])(
    "may be %s",
    async (externalId) => {
      const { acme } = openAcme();
      const user = await acme.users.create({ email: someEmail(), externalId });
      expect(user.externalId).toBe(externalId);
      expect(await acme.users.get(externalId)).toEqual(user);
    },
  );
});

describe("an external id that can't be part of a URL", () => {
  it.each([".", ".."])("may not be %s", async (externalId) => {
    const { acme } = openAcme();
    const { id } = await acme.users.create({ email: someEmail() });
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const user = { email: someEmail(), externalId };
    expect(await getRefusedFields(acme.users.create(user))).toEqual(["externalId"]);
    expect(await getRefusedFields(acme.users.update(id, { externalId }))).toEqual(["externalId"]);
    expect(await getRefusedFields(acme.users.upsert(user))).toEqual(["externalId"]);
    expect(await getRefusedFields(acme.passes.create(card.id, { user }))).toEqual(["user.externalId"]);
    const { failed } = await acme.users.import([user]);
    expect(failed).toMatchObject([{ errors: { externalId: expect.stringContaining("URL") } }]);
  });
});

describe.each(everyAdapter)("external ids on $name", ({ open }) => {
  it("can be used wherever a user id is expected", async () => {
    const { acme } = openAcme({ storage: await open() });
    const ada = await acme.users.create({ email: someEmail(), externalId: "till 7/42" });
    await acme.tags.create({ name: "VIP" });
    const { id } = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    await acme.tags.assign("till 7/42", "vip");
    const pass = await acme.passes.create(id, { userId: "till 7/42" });
    expect(pass.userId).toBe(ada.id);
    expect(await acme.tags.ofUser("till 7/42")).toEqual(await acme.tags.ofUser(ada.id));
    expect(await acme.passes.ofUser("till 7/42")).toEqual(await acme.passes.ofUser(ada.id));
    expect((await acme.users.update("till 7/42", { name: "Ada" })).id).toBe(ada.id);
    await acme.tags.unassign("till 7/42", "vip");
    await acme.users.delete("till 7/42");
    expect(await getErrorDetail(acme.users.get(ada.id))).toEqual(notFound);
  });

  it("are unique in the organization, compared exactly", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: someEmail(), externalId: "Ä-1" });
    for (const externalId of ["ä-1", "A\u0308-1", "Ä-1 ", "Ä-2"]) {
      await acme.users.create({ email: someEmail(), externalId });
    }
    await loyalty.organization("globex").users.create({ email: someEmail(), externalId: "Ä-1" });
    expect(await getErrorDetail(acme.users.create({ email: someEmail(), externalId: "Ä-1" }))).toEqual({
      code: "user_already_exists",
      conflicts: { external_id_already_exists: ["Ä-1"] },
    });
  });

  it("and emails that are taken are reported together, as sent, and nothing changes", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: "ada@example.com" });
    await acme.users.create({ email: "bob@example.com", externalId: "b" });
    const cy = await acme.users.create({ email: "cy@example.com", externalId: "c" });
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const conflictingInput = { email: "ADA@example.com", externalId: "b" };
    const bothTaken = {
      code: "user_already_exists",
      conflicts: {
        email_already_exists: [conflictingInput.email],
        external_id_already_exists: [conflictingInput.externalId],
      },
    };
    expect(await getErrorDetail(acme.users.create(conflictingInput))).toEqual(bothTaken);
    expect(await getErrorDetail(acme.users.update(cy.id, { ...conflictingInput, name: "Cy" }))).toEqual(
      bothTaken,
    );
    expect(await getErrorDetail(acme.passes.create(card.id, { user: conflictingInput }))).toEqual(bothTaken);
    expect(await acme.users.get(cy.id)).toEqual(cy);
    expect((await acme.contacts.list()).totalElements).toBe(3);
  });

  it("are free again when they are cleared or their user is deleted", async () => {
    const { acme } = openAcme({ storage: await open() });
    const ada = await acme.users.create({ email: someEmail(), externalId: "7" });
    await acme.users.update(ada.id, { externalId: null });
    expect(await getErrorDetail(acme.users.get("7"))).toEqual(notFound);
    const bob = await acme.users.create({ email: someEmail(), externalId: "7" });
    await acme.users.delete(bob.id);
    await acme.users.update(ada.id, { externalId: "7" });
    expect((await acme.users.get("7")).id).toBe(ada.id);
  });
});
