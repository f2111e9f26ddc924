import type { User } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { invalid, ok } from "./answers.js";
import { type TestOrganization, testOnEachDatabase } from "./every-mount.js";

/** Normalizes a text as searches and sorts do. */
const foldText = (text: string) => text.normalize("NFC").toLowerCase();

const sortFields = ["createdAt", "updatedAt", "email", "name", "externalId"] as const;

function sortUsers(users: readonly User[], field: (typeof sortFields)[number], direction: "asc" | "desc") {
  const sign = direction === "asc" ? 1 : -1;
  const compareFolded = (a: string, b: string) =>
    Buffer.compare(Buffer.from(foldText(a)), Buffer.from(foldText(b)));
  return users.toSorted((a, b) => {
    const [x, y] = [a[field], b[field]];
    if (x === null || y === null) return x === y ? sign * compareFolded(a.id, b.id) : x === null ? 1 : -1;
    return sign * (compareFolded(x, y) || compareFolded(a.id, b.id));
  });
}

testOnEachDatabase((http) => {
  describe("the sort order of contacts", () => {
    async function createSortableUsers({ acme }: TestOrganization): Promise<User[]> {
      const texts = ["b", "A", "á", "a\u0301b", "Z", "z1", "_", "10", "9", "\uff5e", "😀", "ß", null, null];
      const users: User[] = [];
      for (const [at, text] of texts.entries()) {
        http.clock.move(at % 3 === 0 ? 7 : 0);
        const input = { email: `${"zxyZXY"[at % 6]}${at}@example.com`, name: at % 4 === 0 ? "Same" : text };
        users.push(await acme.users.create({ ...input, externalId: text && `${text}!` }));
      }
      for (const at of [5, 2, 11]) {
        http.clock.move(3);
        await acme.users.update(users[at]?.id ?? "", { phone: "1" });
      }
      return Promise.all(users.map(({ id }) => acme.users.get(id)));
    }

    test("may be by any field in either direction, with nulls last and ties by id", async () => {
      const organization = await http.createOrganization();
      const users = await createSortableUsers(organization);
      for (const field of sortFields) {
        for (const direction of ["asc", "desc"] as const) {
          const expected = sortUsers(users, field, direction).map(({ id }) => ({ id }));
          const path = `/v1/contacts?sort=${field},${direction}`;
          expect(await organization.call("GET", path)).toMatchObject(ok({ content: expected }));
          const second = expected.slice(5, 10);
          expect(await organization.call("GET", `${path}&page=1&size=5`)).toMatchObject(
            ok({ content: second }),
          );
        }
      }
    });

    test.each([
      ...["", "createdAt", "createdAt,", ",desc", "createdAt,DESC", "CREATEDAT,desc", "phone,asc", "id,asc"],
      ...["createdAt,desc,asc", " createdAt,desc", "createdAt, desc", "createdAt desc", "constructor,asc"],
      ...["__proto__", "toString", "createdAt,desc\u0000", "'; DROP TABLE users; --,asc"],
    ])("can't be %j", async (sort) => {
      const { call } = await http.createOrganization();
      expect(await call("GET", `/v1/contacts?sort=${encodeURIComponent(sort)}`)).toEqual(invalid("sort"));
    });
  });

  describe("the search for contacts", () => {
    async function createSearchableUsers({ acme }: TestOrganization) {
      for (const user of [
        { email: "ada@example.com", name: "Ada Lovelace", phone: "+44 20", externalId: "C_1%" },
        { email: "bob@example.org", name: "Renée O'Neil \\o/", phone: "555-2368", externalId: "x%_y" },
        { email: "cid@Sub.Example.com", name: "cafe\u0301 ЖУК", externalId: 'q"*' },
      ]) {
        await acme.users.create(user);
      }
    }

    test.each([
      ["example", "ada bob cid"],
      ["EXAMPLE.COM", "ada cid"],
      ["sub.example", "cid"],
      ["lovelace", "ada"],
      ["a love", "ada"],
      ["555", "bob"],
      ["2368", "bob"],
      ["+44 2", "ada"],
      ["c_1", "ada"],
      ["x%_y", "bob"],
      ["%", "ada bob"],
      ["_", "ada bob"],
      ["\\", "bob"],
      ["'", "bob"],
      ['"', "cid"],
      ["*", "cid"],
      ["RENE\u0301E", "bob"],
      ["CAFÉ", "cid"],
      ["жук", "cid"],
      ["e", "ada bob cid"],
      [" o", "bob"],
      ["a  love", ""],
      [" ada", ""],
      ["lovelace+44", ""],
      ["comada", ""],
      ["1%x", ""],
      ["nobody", ""],
      ["", "ada bob cid"],
      [" ", "ada bob cid"],
      ["   ", "ada bob cid"],
    ])("for %j finds %j", async (search, found) => {
      const organization = await http.createOrganization();
      await createSearchableUsers(organization);
      const path = `/v1/contacts?sort=email,asc&search=${encodeURIComponent(search)}`;
      const content = found
        .split(" ")
        .filter(Boolean)
        .map((name) => ({ email: expect.stringMatching(`^${name}@`) }));
      expect(await organization.call("GET", path)).toMatchObject(
        ok({ content, totalElements: content.length }),
      );
    });

    test("reads + as a space", async () => {
      const organization = await http.createOrganization();
      await createSearchableUsers(organization);
      expect(await organization.call("GET", "/v1/contacts?search=ada+love")).toMatchObject(
        ok({ totalElements: 1 }),
      );
    });

    test("counts all matches on each page", async () => {
      const organization = await http.createOrganization();
      await createSearchableUsers(organization);
      expect(await organization.call("GET", "/v1/contacts?search=example.&size=2&page=1")).toMatchObject(
        ok({ content: [{ email: "ada@example.com" }], totalElements: 3, totalPages: 2, number: 1, size: 2 }),
      );
    });

    test("accepts at most 254 characters", async () => {
      const { call } = await http.createOrganization();
      for (const unit of ["x", "😀", "e\u0301"]) {
        const longest = encodeURIComponent(unit.repeat(254));
        expect(await call("GET", `/v1/contacts?search=${longest}`)).toMatchObject({ status: 200 });
        expect(await call("GET", `/v1/contacts?search=${longest}x`)).toEqual(invalid("search"));
      }
    });
  });
});
