import { describe, expect, test } from "vitest";
import {
  conflict,
  denied,
  invalid,
  malformed,
  methodNotAllowed,
  notFound,
  taken,
  tooLarge,
  unauthorized,
  unsupportedMediaType,
  wrongType,
} from "./answers.js";
import { jsonHeaders } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";

const tooLong = " ".repeat(1_048_577);
const invalidJson = "{";

testOnEveryMount((http) => {
  /** Creates an organization with callers that have all scopes, too few scopes, no token or an invalid token. */
  const openApi = async () => {
    const organization = await http.createOrganization();
    const limitedCaller = http.createCaller(await organization.createToken("api_token:manage"));
    return {
      ...organization,
      limitedCaller,
      stranger: http.createCaller(null),
      expired: http.createCaller("x"),
    };
  };
  const buildRequest = (body: string, headers: Record<string, string> = jsonHeaders) => ({ headers, body });

  test("an unknown path is reported before any other error", async () => {
    const { stranger, send } = await openApi();
    for (const caller of [stranger.send, send]) {
      for (const body of [invalidJson, tooLong]) {
        expect(await caller("POST", "/v1/unknown?page=x", buildRequest(body))).toMatchObject(notFound);
        expect(await caller("PATCH", "/v1/unknown", buildRequest(body, {}))).toMatchObject(notFound);
      }
    }
  });

  test("a wrong method is reported before an invalid token", async () => {
    const { stranger, send } = await openApi();
    for (const caller of [stranger.send, send]) {
      for (const body of [invalidJson, tooLong]) {
        expect(await caller("DELETE", "/v1/users?page=x", buildRequest(body))).toMatchObject(
          methodNotAllowed,
        );
        expect(await caller("PUT", "/v1/walletpasses/%zz", buildRequest(body))).toMatchObject(
          methodNotAllowed,
        );
      }
    }
  });

  test("an invalid token is reported before errors of scope, parameters and body", async () => {
    const { stranger, expired } = await openApi();
    for (const { send } of [stranger, expired]) {
      for (const body of [invalidJson, tooLong, "{}", '{"email":5}']) {
        expect(await send("POST", "/v1/users", buildRequest(body))).toMatchObject(unauthorized);
        expect(
          await send("PATCH", "/v1/users/nobody", buildRequest(body, { "content-type": "text/plain" })),
        ).toMatchObject(unauthorized);
      }
      expect(await send("GET", "/v1/contacts?page=x&page=y&sort=z&%zz")).toMatchObject(unauthorized);
      expect(await send("GET", "/v1/users/%zz")).toMatchObject(unauthorized);
      expect(await send("GET", "/v1/users/%00")).toMatchObject(unauthorized);
    }
  });

  test("a missing scope is reported before errors of parameters and body", async () => {
    const { limitedCaller } = await openApi();
    const { send } = limitedCaller;
    for (const body of [invalidJson, tooLong, "{}", '{"email":5}', "\0"]) {
      expect(await send("POST", "/v1/users", buildRequest(body))).toMatchObject(denied("user:create"));
      const plain = buildRequest(body, { "content-type": "text/plain", "content-encoding": "gzip" });
      expect(await send("PATCH", "/v1/users/nobody", plain)).toMatchObject(denied("user:update"));
    }
    expect(await send("GET", "/v1/contacts?page=x&page=y&sort=z&%zz")).toMatchObject(denied("user:read"));
    expect(await send("GET", "/v1/users/%zz")).toMatchObject(denied("user:read"));
    expect(await send("GET", "/v1/users/%00")).toMatchObject(denied("user:read"));
    expect(await send("GET", "/v1/users/nobody")).toMatchObject(denied("user:read"));
  });

  test("errors of body and parameters are reported before a missing resource", async () => {
    const { send, call } = await openApi();
    const path = "/v1/users/nobody";
    expect(await send("PATCH", path, buildRequest(invalidJson))).toMatchObject(malformed);
    expect(await send("PATCH", path, buildRequest(tooLong))).toMatchObject(tooLarge);
    expect(await send("PATCH", path, buildRequest("{}", { "content-type": "text/plain" }))).toMatchObject(
      unsupportedMediaType,
    );
    expect(await call("PATCH", path, { email: 5 })).toEqual(wrongType("email"));
    expect(await call("PATCH", path, { email: "x" })).toEqual(invalid("email"));
    expect(await call("PATCH", path, {})).toEqual(notFound);
    expect(await call("GET", "/v1/walletpasses/nobody/stamps/history?size=x")).toEqual(wrongType("size"));
    expect(await call("GET", "/v1/walletpasses/nobody/stamps/history?size=0")).toEqual(invalid("size"));
    expect(await call("GET", "/v1/walletpasses/nobody/stamps/history")).toEqual(notFound);
    expect(await call("POST", "/v1/templates/nobody/walletpasses", {})).toEqual(invalid("userId"));
    expect(await call("POST", "/v1/templates/nobody/walletpasses", { userId: "nobody" })).toEqual(notFound);
  });

  test("wrong types are reported before wrong values, in body and parameters alike", async () => {
    const { call } = await openApi();
    expect(await call("POST", "/v1/users", { email: "x", name: 5, phone: "", metadata: [] })).toEqual(
      wrongType("name", "metadata"),
    );
    expect(await call("POST", "/v1/users", { name: 5 })).toEqual(wrongType("name"));
    expect(await call("GET", "/v1/contacts?page=x&size=0&sort=y&minStamps=1")).toEqual(wrongType("page"));
    const filter = { operator: "and", conditions: [{ slug: 5 }], unknown: 1 };
    expect(await call("POST", "/v1/user-tags/query", { filter, size: 0 })).toEqual(
      wrongType("filter.conditions.0.slug"),
    );
  });

  test("a missing resource is reported before a conflict", async () => {
    const { call, acme } = await openApi();
    const user = { email: "ada@example.com" };
    await acme.users.create(user);
    expect(await call("POST", "/v1/templates/nobody/walletpasses", { user })).toEqual(notFound);
    expect(await call("PATCH", "/v1/users/nobody", user)).toEqual(notFound);
    const template = await acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD" });
    expect(await call("POST", `/v1/templates/${template.id}/walletpasses`, { user })).toEqual(taken(user));
    expect(await call("PUT", "/v1/walletpasses/nobody/installation", { status: "UNINSTALLED" })).toEqual(
      notFound,
    );
  });

  test("a check against stored data comes after those for a missing resource and for the kind of card", async () => {
    const { call, acme } = await openApi();
    const user = { email: "ada@example.com" };
    const plain = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
    const pass = await acme.passes.create(plain.id, { user });
    const setStamps = (id: string, stamps: unknown) =>
      call("POST", `/v1/walletpasses/${id}/stamps/set`, { stamps });
    expect(await setStamps("nobody", 1_000)).toEqual(notFound);
    expect(await setStamps(pass.id, 1_000)).toEqual(conflict("not_a_stamp_card"));
    expect(await setStamps(pass.id, -1)).toEqual(invalid("stamps"));
    expect(await setStamps("nobody", 1.5)).toEqual(wrongType("stamps"));
  });

  describe("a body with two errors", () => {
    test("is refused for either of them, not for a later one", async () => {
      const { send } = await openApi();
      const tooLongRequest = buildRequest(tooLong, { "content-type": "text/plain" });
      const { status, body } = await send("POST", "/v1/users", tooLongRequest);
      expect([tooLarge, unsupportedMediaType]).toContainEqual({ status, body });
    });
  });
});
