import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { conflict, created, deleted, denied, invalid, malformed, notFound, ok, taken } from "./answers.js";
import { type FullResponse, jsonHeaders, readText } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";

const reusedKeyError = { status: 422, body: { code: "idempotency_key_reused", params: null } };
const keyInUseError = conflict("idempotency_key_in_use");

const isReplayed = ({ headers }: FullResponse) => headers.get("idempotency-replayed") === "true";
const summarize = ({ status, body }: FullResponse) => ({ status, body });

testOnEveryMount((http) => {
  const openApi = async () => {
    const organization = await http.createOrganization();
    const postWithKey = (
      path: string,
      key: string,
      body?: unknown,
      { send }: Pick<typeof organization, "send"> = organization,
    ) =>
      send("POST", path, {
        headers: { "idempotency-key": key, ...(body !== undefined && jsonHeaders) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    return { ...organization, postWithKey };
  };

  describe("an idempotency key", () => {
    test("replays the first response to a repeated call, and marks it as a replay", async () => {
      const { acme, postWithKey } = await openApi();
      const first = await postWithKey("/v1/users", "key", {
        email: "ada@example.com",
        metadata: { b: 1, a: 2 },
      });
      expect(summarize(first)).toEqual(created(expect.objectContaining({ email: "ada@example.com" })));
      expect(first.headers.has("idempotency-replayed")).toBe(false);
      const second = await postWithKey("/v1/users", "key", {
        email: "ada@example.com",
        metadata: { b: 1, a: 2 },
      });
      expect(summarize(second)).toEqual(summarize(first));
      expect(isReplayed(second)).toBe(true);
      expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
      expect((await acme.contacts.list()).totalElements).toBe(1);
    });

    test("is the same with and without quotes", async () => {
      const { postWithKey } = await openApi();
      const id = randomUUID();
      const first = await postWithKey("/v1/user-tags", id, { name: "VIP" });
      const second = await postWithKey("/v1/user-tags", `"${id}"`, { name: "VIP" });
      expect([summarize(second), isReplayed(second)]).toEqual([summarize(first), true]);
      await postWithKey("/v1/user-tags", 'back\\slash"', { name: "Other" });
      expect(isReplayed(await postWithKey("/v1/user-tags", '"back\\\\slash\\""', { name: "Other" }))).toBe(
        true,
      );
    });

    test("must be one text of 1 to 255 characters", async () => {
      const { postWithKey } = await openApi();
      for (const key of ["", '""', "x".repeat(256), '"a', '"a"b', '"a", "b"', '"a";b=1']) {
        const response = await postWithKey("/v1/user-tags", key, { name: "VIP" });
        expect(response, key).toMatchObject(invalid("Idempotency-Key"));
      }
      expect(await postWithKey("/v1/user-tags", "x".repeat(255), { name: "VIP" })).toMatchObject({
        status: 201,
      });
    });

    test("is refused with another path or body, before an invalid or unreadable body is reported", async () => {
      const { postWithKey, send } = await openApi();
      await postWithKey("/v1/user-tags", "key", { name: "VIP" });
      expect(await postWithKey("/v1/user-tags", "key", { name: "Other" })).toMatchObject(reusedKeyError);
      expect(await postWithKey("/v1/user-tags", "key", { name: 5 })).toMatchObject(reusedKeyError);
      expect(await postWithKey("/v1/users", "key", { name: "VIP" })).toMatchObject(reusedKeyError);
      for (const body of ["{", "[]"]) {
        const headers = { ...jsonHeaders, "idempotency-key": "key" };
        expect(await send("POST", "/v1/user-tags", { headers, body })).toMatchObject(reusedKeyError);
      }
    });

    test("is the same whatever the white space in the body", async () => {
      const { postWithKey, send } = await openApi();
      await postWithKey("/v1/user-tags", "key", { name: "VIP" });
      const headers = { ...jsonHeaders, "idempotency-key": "key" };
      const spacedResponse = await send("POST", "/v1/user-tags", { headers, body: '\n{ "name" : "VIP" }' });
      expect(isReplayed(spacedResponse)).toBe(true);
    });

    test("stores 404 and 409, but not 400 or 422", async () => {
      const { acme, postWithKey, send } = await openApi();
      const ada = await acme.users.create({ email: "ada@example.com" });
      const user = { email: "ada@example.com" };
      expect(await postWithKey("/v1/users", "conflict", user)).toMatchObject(taken(user));
      expect(await postWithKey(`/v1/users/${ada.id}/tags/vip`, "missing")).toMatchObject(notFound);
      await acme.users.delete(ada.id);
      await acme.tags.create({ name: "VIP" });
      const repeatedResponse = await postWithKey("/v1/users", "conflict", user);
      expect(repeatedResponse).toMatchObject(taken(user));
      expect(isReplayed(repeatedResponse)).toBe(true);
      const missing = await postWithKey(`/v1/users/${ada.id}/tags/vip`, "missing");
      expect([summarize(missing), isReplayed(missing)]).toEqual([notFound, true]);

      expect(await postWithKey("/v1/users", "invalid", { email: "" })).toMatchObject(invalid("email"));
      const headers = { ...jsonHeaders, "idempotency-key": "invalid" };
      expect(await send("POST", "/v1/users", { headers, body: "{" })).toMatchObject(malformed);
      expect(await postWithKey("/v1/users", "invalid", user)).toMatchObject({ status: 201 });
    });

    test("is checked after the scope", async () => {
      const { acme, postWithKey, createToken } = await openApi();
      await postWithKey("/v1/user-tags", "key", { name: "VIP" });
      const { send } = http.createCaller(await createToken("user_tag:read"));
      const headers = { ...jsonHeaders, "idempotency-key": "key" };
      const response = await send("POST", "/v1/user-tags", { headers, body: '{"name":"VIP"}' });
      expect(response).toMatchObject(denied("user_tag:write"));
      expect(response.headers.has("idempotency-replayed")).toBe(false);
      expect(await acme.tags.list()).toHaveLength(1);
    });

    test("belongs to the organization, whichever token sends it", async () => {
      const { acme, postWithKey, createToken } = await openApi();
      const other = http.createCaller(await createToken("user_tag:write"));
      const otherClient = await openApi();
      const first = await postWithKey("/v1/user-tags", "key", { name: "VIP" });
      const headers = { ...jsonHeaders, "idempotency-key": "key" };
      const second = await other.send("POST", "/v1/user-tags", { headers, body: '{"name":"VIP"}' });
      expect([summarize(second), isReplayed(second)]).toEqual([summarize(first), true]);
      const third = await otherClient.postWithKey("/v1/user-tags", "key", { name: "Theirs" });
      expect(third).toMatchObject({ status: 201 });
      expect(await acme.tags.list()).toHaveLength(1);
    });

    test("returns a new token again to a repeated call", async () => {
      const { acme, postWithKey } = await openApi();
      const input = { name: "Till", scopes: ["user:read"] };
      const first = await postWithKey("/v1/api-tokens", "key", input);
      const second = await postWithKey("/v1/api-tokens", "key", input);
      expect(readText(second, "token")).toBe(readText(first, "token"));
      expect(await acme.apiTokens.list()).toHaveLength(2);
    });

    test("doesn't return a token to a caller who could not have created it", async () => {
      const { postWithKey, createToken } = await openApi();
      const weak = http.createCaller(await createToken("api_token:manage"));
      const input = { name: "Till", scopes: ["user:read", "loyalty:manage"] };
      await postWithKey("/v1/api-tokens", "key", input);
      expect(await postWithKey("/v1/api-tokens", "key", input, weak)).toMatchObject(denied("user:read"));
    });

    test("is not accepted with a body that is too deep to be compared with others", async () => {
      const { send } = await openApi();
      const deep = `{"name":"VIP","deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
      const headers = { ...jsonHeaders, "idempotency-key": "key" };
      expect(await send("POST", "/v1/user-tags", { headers, body: deep })).toMatchObject(malformed);
    });

    test("stores nothing for a query, which runs again", async () => {
      const { acme, postWithKey } = await openApi();
      const body = { filter: { operator: "NOT", conditions: [{ slug: "vip" }] } };
      const readTotal = async () => {
        const response = await postWithKey("/v1/user-tags/query", "key", body);
        expect(isReplayed(response)).toBe(false);
        return response.body;
      };
      expect(await readTotal()).toMatchObject({ totalElements: 0 });
      await acme.users.create({ email: "ada@example.com" });
      expect(await readTotal()).toMatchObject({ totalElements: 1 });
      expect(await postWithKey("/v1/user-tags", "key", { name: "VIP" })).toMatchObject({ status: 201 });
    });

    test("gives concurrent calls one effect", async () => {
      const { acme, postWithKey } = await openApi();
      const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
      const pass = await acme.passes.create(id, { user: { email: "ada@example.com" } });
      const path = `/v1/walletpasses/${pass.id}/stamps/add`;
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => postWithKey(path, "key", { count: 3 })),
      );
      for (const response of responses.filter(({ status }) => status !== 200)) {
        expect(summarize(response)).toEqual(keyInUseError);
        expect(response.headers.get("retry-after")).toBe("1");
      }
      expect(responses.filter((response) => response.status === 200 && !isReplayed(response))).toHaveLength(
        1,
      );
      expect(await acme.stamps.state(pass.id)).toMatchObject({ totalStampsCollected: 3 });
    });

    test("is ignored with other methods", async () => {
      const { acme, send } = await openApi();
      await acme.tags.create({ name: "VIP" });
      const headers = { ...jsonHeaders, "idempotency-key": "" };
      const putName = (name: string) =>
        send("PUT", "/v1/user-tags/vip", { headers, body: JSON.stringify({ name }) });
      expect(await putName("One")).toMatchObject(ok(expect.objectContaining({ name: "One" })));
      expect(await putName("Two")).toMatchObject(ok(expect.objectContaining({ name: "Two" })));
      expect(await send("GET", "/v1/user-tags", { headers })).toMatchObject({ status: 200 });
      expect(summarize(await send("DELETE", "/v1/user-tags/vip", { headers }))).toEqual(deleted);
    });

    test("is not a field of a body", async () => {
      const { acme, call } = await openApi();
      for (const [name, idempotencyKey] of [
        ["One", "key"],
        ["Two", "key"],
        ["Three", 5],
      ]) {
        expect(await call("POST", "/v1/user-tags", { name, idempotencyKey })).toMatchObject({ status: 201 });
      }
      expect(await acme.tags.list()).toHaveLength(3);
    });

    test("can be used again after 24 hours", async () => {
      const { postWithKey } = await openApi();
      await postWithKey("/v1/user-tags", "key", { name: "One" });
      http.clock.move(86_400_000);
      expect(await postWithKey("/v1/user-tags", "key", { name: "Two" })).toMatchObject({ status: 201 });
    });
  });
});
