import { describe, expect, test } from "vitest";
import { invalid, malformed, ok, wrongType } from "./answers.js";
import { endpoints, nowhere, pathOf } from "./endpoints.js";
import { testOnEveryMount } from "./every-mount.js";

/** The text parameters of the API, each with a path that accepts it. */
const texts = {
  search: "/v1/contacts",
  sort: "/v1/contacts",
  templateId: "/v1/contacts",
  qrCodeValue: "/v1/walletpasses/lookup",
  after: "/v1/events",
  types: "/v1/events",
};

testOnEveryMount((http) => {
  describe("a query string", () => {
    test.each(["%", "%zz", "%2", "a%", "%ff", "%c3%28", "%ed%a0%80", "%c0%80", "%e4", "%ED%B0%80%ED%A0%80"])(
      "with %s in it is malformed",
      async (text) => {
        const { call } = await http.createOrganization();
        for (const [name, path] of Object.entries(texts)) {
          expect(await call("GET", `${path}?${name}=${text}`)).toEqual(malformed);
          expect(await call("GET", `${path}?${name}=x&unknown=${text}`)).toEqual(malformed);
          expect(await call("GET", `${path}?${name}=x&${text}=1`)).toEqual(malformed);
        }
        expect(await call("GET", `/v1/contacts?page=${text}`)).toEqual(malformed);
      },
    );

    test("is refused by every endpoint if it is malformed", async () => {
      const { call } = await http.createOrganization();
      for (const { method, path, body } of endpoints) {
        const target = `${pathOf({ path }, nowhere)}?x=%zz`;
        expect(await call(method, target, body?.(nowhere)), `${method} ${path}`).toEqual(malformed);
      }
    });

    test("with NUL in a text is refused for that text", async () => {
      const { call } = await http.createOrganization();
      for (const [name, path] of Object.entries(texts)) {
        for (const text of ["%00", "a%00b"]) {
          expect(await call("GET", `${path}?${name}=${text}`)).toEqual(invalid(name));
        }
      }
      expect(await call("GET", "/v1/contacts?unknown=%00&%00=1")).toMatchObject({ status: 200 });
    });

    test("of a page of stamps follows the same rules", async () => {
      const { call } = await http.createOrganization();
      const path = "/v1/walletpasses/x/stamps/history";
      expect(await call("GET", `${path}?page=&size=1.0`)).toEqual(wrongType("page", "size"));
      expect(await call("GET", `${path}?page=%zz`)).toEqual(malformed);
    });

    test("may be long", async () => {
      const { call } = await http.createOrganization();
      expect(await call("GET", `/v1/contacts?${"unknown=1&".repeat(700)}size=1`)).toMatchObject(
        ok({ size: 1 }),
      );
      expect(await call("GET", `/v1/contacts?search=${"x".repeat(7_000)}`)).toEqual(invalid("search"));
    });

    test("may contain a question mark, an equals sign and a slash", async () => {
      const { acme, call } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com", name: "a?b=c/d" });
      expect(await call("GET", "/v1/contacts?search=a?b=c/d")).toMatchObject(
        ok({ content: [{ id: user.id }] }),
      );
    });

    test("doesn't end at a semicolon", async () => {
      const { acme, call } = await http.createOrganization();
      await acme.users.create({ email: "ada@example.com", name: "a;size=7" });
      expect(await call("GET", "/v1/contacts?search=a;size=7")).toMatchObject(
        ok({ content: [{ name: "a;size=7" }], size: 50 }),
      );
    });
  });
});
