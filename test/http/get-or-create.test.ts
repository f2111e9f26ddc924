import { describe, expect, test } from "vitest";
import { conflict, created, denied, invalid, notFound, ok, taken, wrongType } from "./answers.js";
import { readText } from "./client.js";
import { testOnEachDatabase } from "./every-mount.js";

testOnEachDatabase((http) => {
  describe("get or create", () => {
    test("updates an existing user, and creates an unknown one", async () => {
      const { call, acme } = await http.createOrganization();
      const response = await call("POST", "/v1/users:upsert", { email: "ada@example.com", externalId: "7" });
      expect(response).toMatchObject(ok({ email: "ada@example.com", externalId: "7" }));
      const namedResponse = await call("POST", "/v1/users:upsert", { email: "ADA@example.com", name: "Ada" });
      const ada = { id: readText(response, "id"), name: "Ada", externalId: "7" };
      expect(namedResponse).toMatchObject(ok(ada));
      expect(await call("GET", "/v1/users:find?email=ada%40EXAMPLE.com")).toEqual(ok(namedResponse.body));
      await acme.users.create({ email: "bob@example.com", externalId: "8" });
      expect(await call("POST", "/v1/users:upsert", { email: "ada@example.com", externalId: "8" })).toEqual(
        taken({ email: "ada@example.com" }),
      );
      expect(await call("POST", "/v1/users:upsert", { name: "Ada" })).toEqual(invalid("email"));
    });

    test("finds no user by an unknown email, and requires exactly one email", async () => {
      const { call } = await http.createOrganization();
      expect(await call("GET", "/v1/users:find?email=ada@example.com")).toEqual(notFound);
      expect(await call("GET", "/v1/users:find")).toEqual(invalid("email"));
      expect(await call("GET", "/v1/users:find?email=a&email=b")).toEqual(wrongType("email"));
    });

    test("returns the pass that a user has, or issues one", async () => {
      const { call, acme } = await http.createOrganization();
      const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
      const ensure = `/v1/templates/${card.id}/walletpasses:ensure`;
      const response = await call("POST", ensure, { user: { email: "ada@example.com" } });
      expect(response).toMatchObject(ok({ template: card, stampProgress: { currentStamps: 0 } }));
      expect(await call("POST", ensure, { userId: readText(response, "userId") })).toEqual(response);
      expect(await call("POST", ensure, {})).toEqual(invalid("userId"));
      expect(await call("POST", "/v1/templates/none/walletpasses:ensure", { userId: "7" })).toEqual(notFound);
    });

    test("creates the template of a key once, with 201, and later returns it unchanged", async () => {
      const { call, acme } = await http.createOrganization();
      const input = { key: "coffee", name: "Coffee", type: "STAMP_CARD", maxStamps: 10 };
      const first = await call("POST", "/v1/templates:ensure", input);
      expect(first).toMatchObject(created({ ...input, reward: null }));
      const other = { ...input, name: "Tea", maxStamps: 5, reward: "A tea" };
      expect(await call("POST", "/v1/templates:ensure", other)).toEqual(ok(first.body));
      const { key, ...fields } = input;
      expect(await acme.templates.ensure(key, { ...fields, type: "STAMP_CARD" })).toEqual(first.body);
      expect(await acme.templates.list()).toHaveLength(1);
      expect(await call("POST", "/v1/templates:ensure", fields)).toEqual(invalid("key"));
      expect(await call("POST", "/v1/templates:ensure", { key: 5, name: "Tea" })).toEqual(wrongType("key"));
      expect(await call("POST", "/v1/templates:ensure", { key: " " })).toEqual(
        invalid("key", "name", "type"),
      );
      expect(await call("POST", "/v1/templates:ensure", [])).toMatchObject({ status: 400 });
    });

    test("sets a template's key once, and never gives it to two templates", async () => {
      const { call } = await http.createOrganization();
      const input = { name: "Coffee", type: "LOYALTY_CARD" };
      const keyedResponse = await call("POST", "/v1/templates", { ...input, key: "coffee" });
      const template = `/v1/templates/${readText(await call("POST", "/v1/templates", input), "id")}`;
      const takenError = conflict("template_already_exists", "coffee");
      expect(await call("POST", "/v1/templates", { ...input, key: "coffee" })).toEqual(takenError);
      expect(await call("PATCH", template, { key: "coffee" })).toEqual(takenError);
      expect(await call("PATCH", template, { key: "tea" })).toMatchObject(ok({ key: "tea" }));
      for (const key of ["coffee", null]) {
        expect(await call("PATCH", template, { key })).toEqual(invalid("key"));
      }
      expect(await call("PATCH", template, { key: "tea", name: "Tea" })).toMatchObject(ok({ name: "Tea" }));
      await call("DELETE", `/v1/templates/${readText(keyedResponse, "id")}`);
      expect(await call("POST", "/v1/templates:ensure", { ...input, key: "coffee" })).toMatchObject({
        status: 201,
      });
    });

    test("creates the tag of a slug once, with 201, and later returns it unchanged", async () => {
      const { call, acme } = await http.createOrganization();
      const first = await call("POST", "/v1/user-tags:ensure", { slug: "vip", name: "Regular guest" });
      expect(first).toMatchObject(created({ slug: "vip", name: "Regular guest", color: "#64748B" }));
      expect(await call("POST", "/v1/user-tags:ensure", { slug: "vip", color: "#000000" })).toEqual(
        ok(first.body),
      );
      expect(await call("POST", "/v1/user-tags:ensure", { name: "VIP" })).toEqual(ok(first.body));
      expect(await acme.tags.ensure("vip")).toEqual(first.body);
      const namedResponse = await call("POST", "/v1/user-tags:ensure", { slug: "new-guest" });
      expect(namedResponse).toMatchObject(created({ name: "new-guest" }));
      for (const slug of ["", "VIP", "a--b", "-a", "a".repeat(101)]) {
        expect(await call("POST", "/v1/user-tags:ensure", { slug })).toEqual(invalid("slug"));
      }
      expect(await call("POST", "/v1/user-tags:ensure", {})).toEqual(invalid("slug"));
      expect(await call("POST", "/v1/user-tags:ensure", { name: "★" })).toEqual(invalid("name"));
    });

    test("replays a call with an idempotency key with its original status", async () => {
      const { call, send } = await http.createOrganization();
      const body = JSON.stringify({ slug: "vip" });
      const headers = { "idempotency-key": "once", "content-type": "application/json" };
      const first = await send("POST", "/v1/user-tags:ensure", { headers, body });
      const repeat = await send("POST", "/v1/user-tags:ensure", { headers, body });
      expect([first.status, repeat.status]).toEqual([201, 201]);
      expect(repeat.body).toEqual(first.body);
      expect(await call("POST", "/v1/user-tags:ensure", { slug: "vip" })).toEqual(ok(first.body));
    });

    test("requires both scopes", async () => {
      const { createToken } = await http.createOrganization();
      const { call } = http.createCaller(await createToken("user:update", "pass:create"));
      expect(await call("POST", "/v1/users:upsert", {})).toEqual(denied("user:create"));
      expect(await call("POST", "/v1/templates/x/walletpasses:ensure", {})).toEqual(denied("pass:read"));
      const writer = http.createCaller(await createToken("user_tag:write", "template:create"));
      expect(await writer.call("POST", "/v1/user-tags:ensure", {})).toEqual(denied("user_tag:read"));
      expect(await writer.call("POST", "/v1/templates:ensure", {})).toEqual(denied("template:read"));
    });
  });
});
