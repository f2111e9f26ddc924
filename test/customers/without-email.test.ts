import fc from "fast-check";
import type { CreateUser, Organization, UpdateUser } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields } from "../kit/refusal.js";
import { newOrganizations } from "../properties/organizations.js";
import { storedRuns } from "../properties/runs.js";

const email = "ada@example.com";

/** A new user, and the fields that are rejected if an email is required and if it isn't. */
const creations: readonly (readonly [given: CreateUser, required: string[], free: string[]])[] = [
  [{ email }, [], []],
  [{ email, phone: "1", externalId: "7" }, [], []],
  [{ phone: "1" }, ["email"], []],
  [{ externalId: "7" }, ["email"], []],
  [{ email: null, phone: "1" }, ["email"], []],
  [{ email: null, phone: null, externalId: "7" }, ["email"], []],
  [{ name: "Ada" }, ["email"], ["email"]],
  [{ email: null, phone: null, externalId: null }, ["email"], ["email"]],
  [{ email: "" }, ["email"], ["email"]],
  [{ email: "", phone: "1" }, ["email"], ["email"]],
];

/** A user, a change, and the fields that are rejected if an email is required and if it isn't. */
const changes: readonly (readonly [
  user: CreateUser,
  change: UpdateUser,
  required: string[],
  free: string[],
])[] = [
  [{ email }, { name: "Ada" }, [], []],
  [{ email }, { email: null }, ["email"], ["email"]],
  [{ email }, { email: null, phone: "1" }, ["email"], []],
  [{ email }, { email: null, externalId: "7" }, ["email"], []],
  [{ email, phone: "1" }, { email: null }, ["email"], []],
  [{ email, externalId: "7" }, { email: null }, ["email"], []],
  [{ email, phone: "1" }, { email: null, phone: null }, ["email", "phone"], ["email", "phone"]],
  [{ email, phone: "1" }, { phone: null }, [], []],
  [{ phone: "1" }, { name: "Ada" }, [], []],
  [{ phone: "1" }, { email: null, name: "Ada" }, [], []],
  [{ phone: "1" }, { email }, [], []],
  [{ phone: "1" }, { email, phone: null }, [], []],
  [{ phone: "1" }, { phone: null }, ["phone"], ["phone"]],
  [{ phone: "1" }, { phone: null, externalId: "7" }, [], []],
  [{ externalId: "7" }, { externalId: null }, ["externalId"], ["externalId"]],
  [
    { phone: "1", externalId: "7" },
    { phone: null, externalId: null },
    ["phone", "externalId"],
    ["phone", "externalId"],
  ],
];

async function listErrorFields(call: Promise<unknown>): Promise<string[]> {
  return getRefusedFields(call).catch(() => []);
}

describe.each(everyAdapter)("customers without an email, on $name", ({ open }) => {
  const newOrganization = newOrganizations(open);

  describe.each([true, false])("when requiresEmail is %j", (requiresEmail) => {
    const openOrganization = async () => {
      const acme = newOrganization();
      await acme.settings.update({ requiresEmail });
      return acme;
    };

    const ways: Readonly<Record<string, (acme: Organization, user: CreateUser) => Promise<unknown>>> = {
      "users.create": (acme, user) => acme.users.create(user),
      "users.upsert": (acme, user) => acme.users.upsert(user),
    };
    const passes: typeof ways = {
      "passes.create": async (acme, user) => acme.passes.create(await createTemplate(acme), { user }),
      "passes.ensure": async (acme, user) => acme.passes.ensure(await createTemplate(acme), { user }),
    };
    const createTemplate = async (acme: Organization) =>
      (await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" })).id;

    it.each(Object.entries({ ...ways, ...passes }))(
      "%s accepts and rejects the same users",
      async (name, create) => {
        for (const [givenUser, requiredFields, free] of creations) {
          const acme = await openOrganization();
          const prefix = name in passes ? "user." : "";
          const rejectedFields = (requiresEmail ? requiredFields : free).map((field) => prefix + field);
          expect([givenUser, await listErrorFields(create(acme, givenUser))]).toEqual([
            givenUser,
            rejectedFields,
          ]);
          const { content } = await acme.contacts.list();
          expect(content).toMatchObject(
            rejectedFields.length > 0 ? [] : [{ email: null, phone: null, externalId: null, ...givenUser }],
          );
        }
      },
    );

    it("an import accepts and rejects the same rows", async () => {
      for (const [givenUser, requiredFields, free] of creations) {
        for (const dryRun of [true, false]) {
          const acme = await openOrganization();
          const { created, failed } = await acme.users.import([givenUser], { dryRun });
          const rejectedFields = failed.flatMap(({ errors }) => Object.keys(errors));
          expect([givenUser, rejectedFields]).toEqual([givenUser, requiresEmail ? requiredFields : free]);
          expect(created).toBe(rejectedFields.length > 0 ? 0 : 1);
        }
      }
    });

    it.each(changes)(
      "the user %j accepts or rejects the change %j",
      async (givenUser, change, requiredFields, free) => {
        const acme = newOrganization();
        await acme.settings.update({ requiresEmail: false });
        const user = await acme.users.create(givenUser);
        await acme.settings.update({ requiresEmail });
        const rejectedFields = requiresEmail ? requiredFields : free;
        expect((await listErrorFields(acme.users.update(user.id, change))).toSorted()).toEqual(
          rejectedFields.toSorted(),
        );
        expect(await acme.users.get(user.id)).toMatchObject(
          rejectedFields.length > 0 ? user : { ...user, ...change, updatedAt: expect.any(String) },
        );
      },
    );
  });

  it("an email is required in a new organization", async () => {
    const acme = newOrganization();
    expect((await acme.settings.get()).requiresEmail).toBe(true);
    expect(await getErrorDetail(acme.users.create({ phone: "1" }))).toEqual({
      code: "validation_failed",
      fields: { email: "is required" },
    });
  });

  it("may be many: null conflicts with no other customer, and no search finds it", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.settings.update({ requiresEmail: false });
    const [a, b] = [await acme.users.create({ phone: "1" }), await acme.users.create({ phone: "1" })];
    const c = await acme.users.create({ email, externalId: "7" });
    expect(await getErrorDetail(acme.users.create({ externalId: "7" }))).toEqual({
      code: "user_already_exists",
      conflicts: { external_id_already_exists: ["7"] },
    });
    expect(await acme.users.find({ email: "" })).toBeNull();
    await acme.users.update(c.id, { email: null });
    expect((await acme.users.create({ email })).email).toBe(email);
    expect(await acme.users.upsert({ externalId: "7", name: "Cy" })).toMatchObject({ id: c.id, name: "Cy" });
    for (const direction of ["asc", "desc"] as const) {
      const { content } = await acme.contacts.list({ sort: `email,${direction}` });
      const otherIds = [a, b, c].map(({ id }) => id).toSorted();
      if (direction === "desc") otherIds.reverse();
      expect(content.map(({ id }) => id).slice(1)).toEqual(otherIds);
      expect(content[0]?.email).toBe(email);
    }
    expect((await acme.contacts.list({ search: "1" })).totalElements).toBe(2);
    expect((await acme.contacts.list({ search: "null" })).totalElements).toBe(0);
  });

  it("can be imported among others, are matched by external id, and keep an email that a row lacks", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.settings.update({ requiresEmail: false });
    const rows = [
      { email, externalId: "1" },
      { externalId: "2" },
      { phone: "3", tags: ["VIP"] },
      { name: "Nobody" },
    ];
    const options = { createTags: true };
    const failedRows = [{ row: 4, errors: { email: "is required unless phone or externalId is given" } }];
    expect(await acme.users.import(rows, options)).toMatchObject({ created: 3, failed: failedRows });
    const repeatedRows = [{ externalId: "1" }, { externalId: "2", email: "bo@example.com" }];
    expect(await acme.users.import(repeatedRows)).toMatchObject({ created: 0, updated: 1, unchanged: 1 });
    expect((await acme.users.get("1")).email).toBe(email);
    expect((await acme.users.get("2")).email).toBe("bo@example.com");
  });

  it("always keep an email, a phone or an external id, whatever is written", async () => {
    const optional = <T>(value: T) => fc.option(fc.constant(value), { nil: null });
    const fields = fc.record(
      {
        email: fc.option(fc.constantFrom("a@example.com", "b@example.com")),
        phone: optional("1"),
        externalId: optional("7"),
      },
      { requiredKeys: [] },
    );
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom("create", "upsert", "update", "import" as const), fields }),
      fc.record({ kind: fc.constant("setting" as const), requiresEmail: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const acme = newOrganization();
        let requiresEmail = true;
        for (const each of steps) {
          const before = (await acme.contacts.list()).content;
          if (each.kind === "setting") {
            requiresEmail = each.requiresEmail;
            await acme.settings.update({ requiresEmail });
            continue;
          }
          const { users } = acme;
          if (each.kind === "create") await users.create(each.fields).catch(() => null);
          else if (each.kind === "upsert") await users.upsert(each.fields).catch(() => null);
          else if (each.kind === "import") await users.import([each.fields]);
          else if (before[0] !== undefined) await users.update(before[0].id, each.fields).catch(() => null);
          const contactsById = new Map(before.map((contact) => [contact.id, contact]));
          for (const { id, email, phone, externalId } of (await acme.contacts.list()).content) {
            expect([email, phone, externalId]).not.toEqual([null, null, null]);
            if (requiresEmail && contactsById.get(id)?.email !== null) expect(email).not.toBeNull();
          }
        }
      }),
      storedRuns(100),
    );
  });

  it("lose every trace of a previous email when they are erased", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.settings.update({ requiresEmail: false });
    const { id } = await acme.users.create({ email, phone: "030 1234" });
    await acme.users.update(id, { email: null });
    await acme.users.erase(id);
    expect(JSON.stringify(await acme.events.list())).not.toMatch(/ada@|030 1234/);
  });
});
