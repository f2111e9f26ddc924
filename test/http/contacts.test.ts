import type { User } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { invalid, ok, wrongType } from "./answers.js";
import { type TestOrganization, testOnEachDatabase } from "./every-mount.js";

function expectedContact({ object: _, metadata: __, ...user }: User) {
  return { ...user, object: "contact", passInfos: [] };
}

/** Creates three users: Ada has 3 of 10 stamps and 1 of 5, Bob 7 of 10 and a card without stamps, Cid nothing. */
async function createUsersWithStamps({ acme }: TestOrganization) {
  const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const other = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 5 });
  const plain = await acme.templates.create({ name: "Plain", type: "LOYALTY_CARD" });
  const ada = await acme.users.create({ email: "ada@example.com" });
  const bob = await acme.users.create({ email: "bob@example.com" });
  const cid = await acme.users.create({ email: "cid@example.com" });
  const adasCard = await acme.passes.create(card.id, { userId: ada.id });
  const otherPassOfAda = await acme.passes.create(other.id, { userId: ada.id });
  const bobsPlain = await acme.passes.create(plain.id, { userId: bob.id });
  const bobsCard = await acme.passes.create(card.id, { userId: bob.id });
  await acme.stamps.add(adasCard.id, { count: 3 });
  await acme.stamps.add(otherPassOfAda.id, { count: 6 });
  await acme.stamps.add(bobsCard.id, { count: 7 });
  return { card, other, plain, ada, bob, cid, adasCard, otherPassOfAda, bobsPlain, bobsCard };
}

testOnEachDatabase((http) => {
  describe("the contacts", () => {
    test("are users with their passes, newest first, 50 on a page", async () => {
      const { call, acme } = await http.createOrganization();
      const users: User[] = [];
      for (let at = 0; at < 51; at += 1) {
        http.clock.move(at % 2);
        users.push(
          await acme.users.create({ email: `u${at}@example.com`, name: `User ${at}`, metadata: { at } }),
        );
      }
      const expected = users.toReversed().map(expectedContact);
      const totals = { totalElements: 51, totalPages: 2, size: 50 };
      expect(await call("GET", "/v1/contacts")).toEqual(
        ok({ content: expected.slice(0, 50), ...totals, number: 0 }),
      );
      expect(await call("GET", "/v1/contacts?page=1")).toEqual(
        ok({ content: expected.slice(50), ...totals, number: 1 }),
      );
      expect(await call("GET", "/v1/contacts?size=200&unknown=1")).toEqual(
        ok({ content: expected, totalElements: 51, totalPages: 1, number: 0, size: 200 }),
      );
    });

    test("are an empty page if there are no users", async () => {
      const { call } = await http.createOrganization();
      expect(await call("GET", "/v1/contacts")).toEqual(
        ok({ content: [], totalElements: 0, totalPages: 0, number: 0, size: 50 }),
      );
    });

    test("past the end are an empty page with correct totals", async () => {
      const { call, acme } = await http.createOrganization();
      await acme.users.create({ email: "ada@example.com" });
      for (const page of [1, 2, 1_000_000, Number.MAX_SAFE_INTEGER]) {
        expect(await call("GET", `/v1/contacts?page=${page}&size=1`)).toEqual(
          ok({ content: [], totalElements: 1, totalPages: 1, number: page, size: 1 }),
        );
      }
    });

    test("are returned in pages of at most 200, even if a larger size is requested", async () => {
      const { call } = await http.createOrganization();
      for (const size of ["200", "201", "1000000", String(Number.MAX_SAFE_INTEGER)]) {
        expect(await call("GET", `/v1/contacts?size=${size}`)).toMatchObject(ok({ size: 200 }));
      }
      for (const size of ["1", "199", "007"]) {
        expect(await call("GET", `/v1/contacts?size=${size}`)).toMatchObject(ok({ size: Number(size) }));
      }
    });

    test("can't be requested with a size below 1 or a negative page", async () => {
      const { call } = await http.createOrganization();
      expect(await call("GET", "/v1/contacts?size=0")).toEqual(invalid("size"));
      expect(await call("GET", "/v1/contacts?page=-1&size=-5")).toEqual(invalid("page", "size"));
    });

    test("list each user's passes, oldest first", async () => {
      const organization = await http.createOrganization();
      const { card, other, plain, bob, ada, cid, ...passes } = await createUsersWithStamps(organization);
      const response = await organization.call("GET", "/v1/contacts?sort=email,asc");
      expect(response).toMatchObject(ok({ totalElements: 3 }));
      expect(response.body).toHaveProperty("content", [
        {
          ...expectedContact(ada),
          passInfos: [
            { templateId: card.id, passId: passes.adasCard.id },
            { templateId: other.id, passId: passes.otherPassOfAda.id },
          ],
        },
        {
          ...expectedContact(bob),
          passInfos: [
            { templateId: plain.id, passId: passes.bobsPlain.id },
            { templateId: card.id, passId: passes.bobsCard.id },
          ],
        },
        expectedContact(cid),
      ]);
    });
  });

  describe("the stamp filter of contacts", () => {
    test.each([
      ["templateId=card", "ada bob"],
      ["templateId=card&minStamps=3", "ada bob"],
      ["templateId=card&minStamps=4", "bob"],
      ["templateId=card&maxStamps=3", "ada"],
      ["templateId=card&maxStamps=2", ""],
      ["templateId=card&minStamps=3&maxStamps=7", "ada bob"],
      ["templateId=card&minStamps=7&maxStamps=7", "bob"],
      ["templateId=card&minStamps=4&maxStamps=6", ""],
      ["templateId=card&minStamps=0&maxStamps=9007199254740991", "ada bob"],
      ["templateId=other&maxStamps=1", "ada"],
      ["templateId=other&minStamps=2", ""],
      ["templateId=card&search=bob", "bob"],
      ["templateId=plain", ""],
      ["templateId=tpl_unknown", ""],
      ["templateId=", ""],
    ])("%s matches %j", async (filter, keptUsers) => {
      const organization = await http.createOrganization();
      const { card, other, plain } = await createUsersWithStamps(organization);
      const ids: Record<string, string> = { card: card.id, other: other.id, plain: plain.id };
      const query = filter.replace(/=(card|other|plain)/, (_, name: string) => `=${ids[name]}`);
      const response = await organization.call("GET", `/v1/contacts?sort=email,asc&${query}`);
      const expected = keptUsers.split(" ").filter(Boolean);
      expect(response).toMatchObject(
        ok({
          totalElements: expected.length,
          content: expected.map((name) => ({
            email: `${name}@example.com`,
            stampProgress: expect.any(Array),
          })),
        }),
      );
    });

    test("compares both bounds with the same pass", async () => {
      const { acme, call } = await http.createOrganization();
      const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
      const ada = await acme.users.create({ email: "ada@example.com" });
      for (const count of [2, 8]) {
        const pass = await acme.passes.create(id, { userId: ada.id });
        await acme.stamps.add(pass.id, { count });
      }
      const countContacts = async (bounds: string) =>
        (await call("GET", `/v1/contacts?templateId=${id}&${bounds}`)).body;
      expect(await countContacts("minStamps=3&maxStamps=7")).toMatchObject({ totalElements: 0 });
      expect(await countContacts("minStamps=3&maxStamps=8")).toMatchObject({ totalElements: 1 });
      expect(await countContacts("maxStamps=2")).toMatchObject({ totalElements: 1 });
    });

    test("follows the current stamps", async () => {
      const { acme, call } = await http.createOrganization();
      const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 4 });
      const ada = await acme.users.create({ email: "ada@example.com" });
      const pass = await acme.passes.create(id, { userId: ada.id });
      const query = `/v1/contacts?templateId=${id}&minStamps=2`;
      for (const [write, found] of [
        [() => acme.stamps.add(pass.id), 0],
        [() => acme.stamps.add(pass.id), 1],
        [() => acme.stamps.add(pass.id, { count: 2 }), 0],
        [() => acme.stamps.set(pass.id, { stamps: 3 }), 1],
        [() => acme.stamps.remove(pass.id, { count: 2 }), 0],
        [() => acme.stamps.add(pass.id, { count: 2 }), 1],
        [() => acme.stamps.reset(pass.id), 0],
      ] as const) {
        await write();
        expect(await call("GET", query)).toMatchObject(ok({ totalElements: found }));
      }
    });

    test("requires a template for its bounds, and the bounds in order", async () => {
      const { call } = await http.createOrganization();
      for (const [query, ...fields] of [
        ["minStamps=1", "templateId"],
        ["maxStamps=1", "templateId"],
        ["minStamps=1&maxStamps=2", "templateId"],
        ["minStamps=2&maxStamps=1", "templateId", "minStamps"],
        ["templateId=x&minStamps=2&maxStamps=1", "minStamps"],
        ["templateId=x&minStamps=-1", "minStamps"],
        ["templateId=x&maxStamps=-1", "maxStamps"],
        ["templateId=x&minStamps=-1&maxStamps=-2&size=0", "minStamps", "maxStamps", "size"],
      ] as const) {
        expect(await call("GET", `/v1/contacts?${query}`)).toEqual(invalid(...fields));
      }
    });
  });

  describe("the stamp progress of contacts", () => {
    test("has an entry for each stamp card, oldest pass first, regardless of the filtered template", async () => {
      const organization = await http.createOrganization();
      const { card, other, ada, bob, ...passes } = await createUsersWithStamps(organization);
      const adas = [
        {
          templateId: card.id,
          passId: passes.adasCard.id,
          currentStamps: 3,
          maxStamps: 10,
          timesCompleted: 0,
        },
        {
          templateId: other.id,
          passId: passes.otherPassOfAda.id,
          currentStamps: 1,
          maxStamps: 5,
          timesCompleted: 1,
        },
      ];
      const bobs = [
        {
          templateId: card.id,
          passId: passes.bobsCard.id,
          currentStamps: 7,
          maxStamps: 10,
          timesCompleted: 0,
        },
      ];
      const listProgress = async (query: string) =>
        (await organization.call("GET", `/v1/contacts?sort=email,asc&${query}`)).body;
      expect(await listProgress("includeStamps=true")).toMatchObject({
        content: [{ stampProgress: adas }, { stampProgress: bobs }, { stampProgress: [] }],
      });
      expect(await listProgress(`templateId=${other.id}`)).toMatchObject({
        content: [{ stampProgress: adas }],
      });
      expect(await listProgress(`templateId=${card.id}&includeStamps=false`)).toMatchObject({
        content: [{ stampProgress: adas }, { stampProgress: bobs }],
      });
    });

    test("isn't needed for summaries of contacts selected by comma-separated ids", async () => {
      const { call, acme } = await http.createOrganization();
      const ids: string[] = [];
      for (const email of ["ada@example.com", "bob@example.com", "cy@example.com"])
        ids.push((await acme.users.create({ email })).id);
      const { body } = await call("GET", `/v1/contacts?ids=${ids[2]},${ids[0]}&includeSummary=true`);
      expect(body).toMatchObject({
        content: [ids[0], ids[2]].map((id) => ({
          id,
          summary: { cards: { rewardsAvailable: 0, lastVisitAt: null, isInWallet: false }, tags: [] },
        })),
        totalElements: 2,
      });
    });

    test("is absent unless requested", async () => {
      const organization = await http.createOrganization();
      await createUsersWithStamps(organization);
      for (const query of ["", "?includeStamps=false"]) {
        const { body } = await organization.call("GET", `/v1/contacts${query}`);
        expect(JSON.stringify(body)).not.toContain("stampProgress");
      }
    });
  });

  describe("the parameters of contacts", () => {
    test.each([
      ...["page=", "page=x", "page=1.5", "page=1e3", "page=%2B1", "page=+1", "page=0x1", "page=1_000"],
      ...["page=9007199254740992", "page=-9007199254740992", "page=99999999999999999999999", "page=%D9%A1"],
      ...["page=true", "page=null", "page=--1", "page=1%00", "page=0&page=0", "page=0&p%61ge=1"],
    ])("can't be %s, which has the wrong type", async (query) => {
      const { call } = await http.createOrganization();
      expect(await call("GET", `/v1/contacts?${query}`)).toEqual(wrongType("page"));
    });

    test.each([
      "includeStamps=",
      "includeStamps=TRUE",
      "includeStamps=1",
      "includeStamps=yes",
      "includeStamps",
    ])("can't be %s, which has the wrong type", async (query) => {
      const { call } = await http.createOrganization();
      expect(await call("GET", `/v1/contacts?${query}`)).toEqual(wrongType("includeStamps"));
    });

    test("are refused if given twice, and one error names all that have the wrong type", async () => {
      const { call } = await http.createOrganization();
      const names = [
        "page",
        "size",
        "sort",
        "search",
        "templateId",
        "minStamps",
        "maxStamps",
        "includeStamps",
      ];
      for (const name of names) {
        expect(await call("GET", `/v1/contacts?${name}=1&x=2&${name}=1`)).toEqual(wrongType(name));
      }
      const wrong = `page=x&size=1.5&minStamps=&search=a&search=b&includeStamps=x&sort=wrong&maxStamps=-1`;
      expect(await call("GET", `/v1/contacts?${wrong}`)).toEqual(
        wrongType("page", "size", "minStamps", "search", "includeStamps"),
      );
    });

    test("are ignored if they are unknown, even if given twice", async () => {
      const { call } = await http.createOrganization();
      for (const query of [
        "x=1&x=2",
        "Page=x",
        "page[]=1",
        "__proto__=1&constructor=2",
        "&&=&=1",
        "token=x",
      ]) {
        expect(await call("GET", `/v1/contacts?${query}`)).toMatchObject(ok({ number: 0 }));
      }
    });

    test("may have percent-encoded names", async () => {
      const { call } = await http.createOrganization();
      expect(await call("GET", "/v1/contacts?p%61ge=%31&siz%65=7")).toMatchObject(ok({ number: 1, size: 7 }));
    });
  });
});
