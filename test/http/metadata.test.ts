import { describe, expect, test } from "vitest";
import { created, invalid, malformed, ok } from "./answers.js";
import { jsonHeaders } from "./client.js";
import { testOnEachDatabase } from "./every-mount.js";

testOnEachDatabase((http) => {
  describe("the metadata of a user", () => {
    test("is returned with its keys in the order in which they were sent", async () => {
      const { call } = await http.createOrganization();
      const metadata = { z: 1, a: { y: 1, b: 2 }, "10": 1, m: [{ q: 1, c: 2 }] };
      const response = await call("POST", "/v1/users", { email: "ada@example.com", metadata });
      expect(JSON.stringify(response.body)).toContain(JSON.stringify(metadata));
    });

    test.each([
      ...[
        "9007199254740993",
        "-9007199254740993",
        "9007199254740992",
        "12345678901234567890",
        "1e400",
        "-1e400",
      ],
      ...[
        "-0",
        "-0.0",
        "1e-400",
        "0.12345678901234567",
        "123456789.123456789",
        "1.00000000000000001",
        "1e20",
        "123456789012345678901234",
      ],
      `0.${"1".repeat(200)}`,
    ])("can't contain %s, which would be returned as another number", async (number) => {
      const { send, acme } = await http.createOrganization();
      const { id } = await acme.users.create({ email: "ada@example.com", externalId: "1".repeat(20) });
      const { id: templateId } = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
      const text = '"id 12345678901234567890, \\"1e400\\\\"';
      const buildUserJson = (email: string) =>
        `{"email":"${email}@example.com","metadata":{"text":${text},"list":[1,{"n":${number}}]}}`;
      const postJson = async (method: string, path: string, json: string) => {
        const { status, body } = await send(method, path, { body: json, headers: jsonHeaders });
        return { status, body };
      };
      expect(await postJson("POST", "/v1/users", buildUserJson("bob"))).toEqual(invalid("metadata.list.1.n"));
      expect(await postJson("POST", "/v1/users:upsert", buildUserJson("ada"))).toEqual(
        invalid("metadata.list.1.n"),
      );
      expect(await postJson("PATCH", `/v1/users/${id}`, buildUserJson("ada"))).toEqual(
        invalid("metadata.list.1.n"),
      );
      expect(
        await postJson(
          "POST",
          `/v1/templates/${templateId}/walletpasses`,
          `{"user":${buildUserJson("bob")}}`,
        ),
      ).toEqual(invalid("user.metadata.list.1.n"));
    });

    test.each([
      ...[
        "9007199254740991",
        "-9007199254740991",
        "0.1",
        "0.10",
        "1e2",
        "100e-2",
        "1.5E+3",
        "1000000000000000e-3",
      ],
      ...["0.1234567890123456", "0.00000000000000000000", "123456789012345.0000000", "5e-324", "1.2345e-200"],
    ])("may contain %s, which is returned as the same number", async (number) => {
      const { send } = await http.createOrganization();
      const body = `{"email":"ada@example.com","metadata":{"n":${number}}}`;
      const response = await send("POST", "/v1/users", { body, headers: jsonHeaders });
      expect(response).toMatchObject(created({ metadata: { n: Number(number) } }));
    });

    test("is malformed JSON if a long number in it is invalid", async () => {
      const { send } = await http.createOrganization();
      for (const number of [
        "012345678901234567890",
        "1234567890123456789.",
        ".1234567890123456789",
        "1e400e1",
        "-",
      ]) {
        const body = `{"email":"ada@example.com","metadata":{"n":${number}}}`;
        expect(await send("POST", "/v1/users", { body, headers: jsonHeaders })).toMatchObject(malformed);
      }
    });

    test("has at most 16,384 bytes", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.users.create({ email: "ada@example.com" });
      const empty = Buffer.byteLength(JSON.stringify({ a: "" }));
      for (const [unit, bytes] of [
        ["x", 1],
        ["é", 2],
        ["😀", 4],
        ['"', 2],
        ["\u0001", 6],
      ] as const) {
        const room = 16_384 - empty;
        const fullText = "x".repeat(room % bytes) + unit.repeat(Math.floor(room / bytes));
        const longest = { metadata: { a: fullText } };
        expect(await call("PATCH", `/v1/users/${id}`, longest)).toMatchObject(ok(longest));
        const longer = { metadata: { a: `${fullText}x` } };
        expect(await call("PATCH", `/v1/users/${id}`, longer)).toEqual(invalid("metadata"));
      }
    });

    test("has at most 8 levels", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.users.create({ email: "ada@example.com" });
      for (const innermost of [{}, [], { a: 1 }, ["x"]]) {
        const deepest = { metadata: { a: [{ a: [{ a: [{ a: innermost }] }] }] } };
        expect(await call("PATCH", `/v1/users/${id}`, deepest)).toMatchObject(ok(deepest));
        const deeper = { metadata: { a: [{ a: [{ a: [{ a: [innermost] }] }] }] } };
        expect(await call("PATCH", `/v1/users/${id}`, deeper)).toEqual(invalid("metadata"));
      }
    });

    test("accepts any key, and doesn't pollute prototypes", async () => {
      const { send, call, acme } = await http.createOrganization();
      const metadata =
        '{"__proto__":{"polluted":true,"__proto__":null},"constructor":{"prototype":{"polluted":true}},"prototype":1,"toString":2,"hasOwnProperty":3,"":4,"a.b":5}';
      const response = await send("POST", "/v1/users", {
        headers: jsonHeaders,
        body: `{"email":"ada@example.com","metadata":${metadata}}`,
      });
      expect(response.status).toBe(201);
      expect(JSON.stringify(response.body)).toContain(metadata);
      const { content } = await acme.contacts.list();
      for (const path of ["/v1/users", `/v1/users/${content[0]?.id}`]) {
        expect(JSON.stringify((await send("GET", path)).body)).toContain(metadata);
      }
      expect(Reflect.get({}, "polluted")).toBeUndefined();
      const bob = { email: "bob@example.com", metadata: {} };
      expect(await call("POST", "/v1/users", bob)).toMatchObject(created({ metadata: {} }));
    });

    test("can't have NUL or lone surrogates in keys or texts, at any depth", async () => {
      const { call } = await http.createOrganization();
      for (const text of ["\0", "a\ud800", "\udc00b"]) {
        for (const metadata of [{ a: text }, { [text]: 1 }, { a: [{ b: [text] }] }, { a: { [text]: 1 } }]) {
          expect(await call("POST", "/v1/users", { email: "ada@example.com", metadata })).toEqual(
            invalid("metadata"),
          );
        }
      }
    });
  });
});
