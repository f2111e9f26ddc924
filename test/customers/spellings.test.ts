import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";

const writtenEmail = "ada@münchen.example";
const spellings = ["ada@xn--mnchen-3ya.example", "ADA@XN--MNCHEN-3YA.EXAMPLE", "Ada@mu\u0308nchen.Example"];

describe.each(everyAdapter)("one mailbox in several spellings on $name", ({ open }) => {
  it.each([writtenEmail, ...spellings])("belongs to one customer, created as %s", async (email) => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const ada = await acme.users.create({ email });
    expect(ada.email).toBe(email);
    for (const other of [writtenEmail, ...spellings]) {
      const takenError = { code: "user_already_exists", conflicts: { email_already_exists: [other] } };
      expect(await getErrorDetail(acme.users.create({ email: other }))).toEqual(takenError);
      expect(await getErrorDetail(acme.passes.create(card.id, { user: { email: other } }))).toEqual(
        takenError,
      );
      expect(await acme.users.find({ email: other })).toMatchObject({ id: ada.id, email });
      expect((await acme.users.upsert({ email: other })).id).toBe(ada.id);
      await acme.users.update(ada.id, { email });
    }
  });

  it("is one customer in an import, whether that customer is new or exists already", async () => {
    const { acme } = openAcme({ storage: await open() });
    const rows = [writtenEmail, ...spellings].map((email) => ({ email, name: email }));
    expect(await acme.users.import(rows)).toMatchObject({ created: 1 });
    expect(await acme.users.import(rows)).toMatchObject({ created: 0 });
    expect((await acme.contacts.list()).totalElements).toBe(1);
  });

  it.each(spellings)("is suppressed by a complaint about %s", async (email) => {
    const { acme } = openAcme({ storage: await open() });
    const ada = await acme.users.create({ email: writtenEmail });
    await acme.messageDeliveries.bounceAddress({ email, kind: "complaint" });
    expect(await acme.subscriptions.get(ada.id)).toMatchObject({ suppressed: { reason: "complained" } });
    await acme.users.update(ada.id, { email });
    expect(await acme.subscriptions.get(ada.id)).toMatchObject({ suppressed: { reason: "complained" } });
  });

  it("is found by its text as written and in ASCII", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: writtenEmail });
    for (const search of ["münchen", "@MÜNCHEN.example", "xn--mnchen", writtenEmail, ...spellings])
      expect((await acme.contacts.list({ search })).content).toMatchObject([{ id }]);
    expect((await acme.contacts.list({ search: "examplea" })).content).toEqual([]);
  });

  it("is erased from the actors of stamps in each spelling", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await acme.passes.create(card.id, { user: { email: "bob@example.com" } });
    const ada = await acme.users.create({ email: writtenEmail });
    for (const subject of spellings)
      await loyalty.organization("acme", { actor: { kind: "app", id: "till", subject } }).stamps.add(pass.id);
    await acme.users.erase(ada.id);
    const { content } = await acme.stamps.history(pass.id);
    expect(content.map(({ actor }) => actor.subject)).toEqual(spellings.map(() => null));
  });

  it("can have only one staff account", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.people.add({ email: writtenEmail, role: "owner" });
    for (const email of spellings)
      expect(await getErrorDetail(acme.people.add({ email, role: "till" }))).toMatchObject({
        code: "person_already_exists",
      });
  });
});

describe.each(everyAdapter)("searches and sorts on $name", ({ open }) => {
  it("ignore the case of letters", async () => {
    const { acme } = openAcme({ storage: await open() });
    const names = [
      "ΚΩΣΤΑΣ",
      "κωστασ",
      "κωστας β",
      "İstanbul",
      "ISTANBUL",
      "istanbul 2",
      "ıstanbul 3",
      "ẞtraße",
    ];
    for (const [at, name] of names.entries()) await acme.users.create({ email: `c${at}@example.com`, name });
    const found = async (search: string) =>
      (await acme.contacts.list({ search, sort: "createdAt,asc" })).content.map(({ name }) => name);
    for (const search of ["ΚΩΣ", "κως", "κωσ", "ΚΩΣΤΑς", "Σ"])
      expect(await found(search)).toEqual(names.slice(0, 3));
    for (const search of ["istanbul", "İSTANBUL", "ıst", "ISTANBUL", "I\u0307stan"])
      expect(await found(search)).toEqual(names.slice(3, 7));
    for (const search of ["ßtraß", "ẞTRAẞE"]) expect(await found(search)).toEqual(["ẞtraße"]);
  });

  it("order names that differ only in case by their ids", async () => {
    const { acme } = openAcme({ storage: await open() });
    const names = ["ΣΣ", "σς", "ςΣ", "İ", "ı", "I"];
    for (const [at, name] of names.entries()) await acme.users.create({ email: `c${at}@example.com`, name });
    const { content } = await acme.contacts.list({ sort: "name,asc" });
    expect(content.map(({ name }) => name)).toEqual(["İ", "ı", "I", "ΣΣ", "σς", "ςΣ"]);
  });
});
