import { scopes } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { untyped } from "../kit/refusal.js";
import { jsonHeaders } from "./client.js";
import { createWorld } from "./endpoints.js";
import { testOnEachDatabase } from "./every-mount.js";

const withoutScope = (scope: string) => scopes.filter((other) => other !== scope);

const news = {
  name: "News",
  audience: { all: true },
  channels: ["email" as const],
  texts: [{ language: "en", subject: "News", text: "There is coffee." }],
};

const filterAudience = { filter: { operator: "AND" as const, conditions: [{ slug: "vip" }] } };

testOnEachDatabase((http) => {
  test("a draft is created, changed, sent and canceled with the documented statuses, and can't be deleted once sent", async () => {
    const { call, send } = await createWorld(http);
    const jsonBody = (body: unknown) => ({ headers: jsonHeaders, body: JSON.stringify(body) });
    const creation = await send("POST", "/v1/messages", jsonBody(news));
    expect(creation).toMatchObject({ status: 201, body: { object: "message", status: "DRAFT", sums: null } });
    const path = `/v1/messages/${untyped(creation.body).id}`;
    expect(await call("GET", path)).toEqual({ status: 200, body: creation.body });
    expect(await send("PATCH", path, jsonBody({ name: "Old news" }))).toMatchObject({ status: 200 });
    expect(await send("POST", `${path}/send`, jsonBody({}))).toMatchObject({
      ...{ status: 202, body: { status: "SCHEDULED", name: "Old news" } },
    });
    expect(await call("DELETE", path)).toMatchObject({ status: 409, body: { code: "message_not_draft" } });
    expect(await send("POST", `${path}/cancel`)).toMatchObject({
      ...{ status: 200, body: { status: "CANCELED" } },
    });
    expect(await send("POST", `${path}/cancel`)).toMatchObject({
      ...{ status: 409, body: { code: "message_ended", params: null } },
    });
  });

  test("a test returns the location of its delivery, and Retry-After if another one is too soon", async () => {
    const { send, call, acme, world: resources } = await createWorld(http);
    const path = `/v1/messages/${resources.messageId}/test`;
    const body = JSON.stringify({ userId: "c-1" });
    const response = await send("POST", path, { headers: jsonHeaders, body });
    expect(response).toMatchObject({ status: 202, body: { kind: "test", messageId: resources.messageId } });
    const location = response.headers.get("location") ?? "";
    expect(await call("GET", location.slice(location.indexOf("/v1/")))).toEqual({
      ...{ status: 200, body: response.body },
    });
    http.clock.move(1_000);
    for (let at = 1; at < 10; at += 1)
      await acme.messages.test(resources.messageId, { userId: resources.userId });
    const errorResponse = await send("POST", path, { headers: jsonHeaders, body });
    expect(errorResponse).toMatchObject({ status: 409, body: { code: "message_tested_recently" } });
    expect(errorResponse.headers.get("retry-after")).toBe("3599");
  });

  test("a preview stores no response for an idempotency key", async () => {
    const { send, acme, world: resources } = await createWorld(http);
    const headers = { "idempotency-key": "once" };
    const getPreview = () => send("POST", `/v1/messages/${resources.messageId}/preview`, { headers });
    expect(await getPreview()).toMatchObject({
      status: 200,
      body: { customers: 1, byChannel: { email: 0 } },
    });
    await acme.subscriptions.put(resources.userId, { email: { status: "SUBSCRIBED", text: "Yes" } });
    const secondPreview = await getPreview();
    expect(secondPreview).toMatchObject({ status: 200, body: { byChannel: { email: 1, wallet: 0 } } });
    expect(secondPreview.headers.get("idempotency-replayed")).toBe(null);
  });

  test("a page has at most 50 messages, even if a larger size is requested", async () => {
    const { call, acme } = await createWorld(http);
    const texts = ["en", "de", "fr"].map((language) => ({ language, text: "x".repeat(20_000) }));
    for (let at = 0; at < 60; at += 1) await acme.messages.create({ ...news, texts });
    const page = await acme.messages.list({ size: 200 });
    expect(page).toMatchObject({ size: 50, totalElements: 61, totalPages: 2 });
    expect(await call("GET", "/v1/messages?size=200")).toEqual({ status: 200, body: page });
    expect(await call("GET", "/v1/messages?size=60&page=1")).toMatchObject({
      body: { content: { length: 11 } },
    });
    expect(await call("GET", "/v1/messages?status=SENT")).toEqual({
      status: 200,
      body: { content: [], totalElements: 0, totalPages: 0, number: 0, size: 50 },
    });
    expect(await call("GET", "/v1/messages?status=GONE")).toMatchObject({
      ...{ status: 422, body: { STANDARD_VALIDATION: { status: expect.any(String) } } },
    });
  });

  describe("the scope for an audience", () => {
    const visitsAudience = {
      filter: { operator: "OR", conditions: [{ slug: "vip" }, { lastVisit: { never: true } }] },
    };
    const cityAudience = {
      filter: { operator: "NOT", conditions: [{ metadata: { path: ["city"], exists: true } }] },
    };
    const cases: readonly [scope: "user_tag:read" | "user:read" | "pass:read", audience: object][] = [
      ["user_tag:read", filterAudience],
      ["user_tag:read", visitsAudience],
      ["pass:read", visitsAudience],
      ["user:read", cityAudience],
      ["user:read", { userIds: ["c-1"] }],
    ];
    test.each(cases)(
      "%s is required, and checked before invalid fields are reported",
      async (scope, audience) => {
        const { acme, createToken, world: resources } = await createWorld(http);
        const { send } = http.createCaller(await createToken(...withoutScope(scope)));
        const { id } = await acme.messages.create(untyped({ ...news, audience }));
        const accessDenied = {
          ...{ status: 403, body: { code: "access_denied", message: expect.stringContaining(scope) } },
        };
        const jsonBody = (body: unknown) => ({ headers: jsonHeaders, body: JSON.stringify(body) });
        for (const wrong of [{}, { name: "" }]) {
          const messageInput = { ...news, audience, ...wrong };
          expect(await send("POST", "/v1/messages", jsonBody(messageInput))).toMatchObject(accessDenied);
          const other = `/v1/messages/${resources.messageId}`;
          expect(await send("PATCH", other, jsonBody({ audience, ...wrong }))).toMatchObject(accessDenied);
        }
        expect(await send("PATCH", `/v1/messages/${id}`, jsonBody({ name: "Mine" }))).toMatchObject(
          accessDenied,
        );
        expect(await send("POST", `/v1/messages/${id}/preview`)).toMatchObject(accessDenied);
        expect(await send("POST", `/v1/messages/${id}/send`)).toMatchObject(accessDenied);
        expect(await acme.messages.get(id)).toMatchObject({ name: "News", status: "DRAFT" });
        expect(await send("POST", `/v1/messages/${id}/cancel`)).toMatchObject({ status: 200 });
      },
    );

    test("is required again for a replay", async () => {
      const { createToken } = await createWorld(http);
      const request = {
        headers: { ...jsonHeaders, "idempotency-key": "k" },
        body: JSON.stringify({ ...news, audience: filterAudience }),
      };
      const maker = http.createCaller(await createToken("message:send", "user_tag:read"));
      expect(await maker.send("POST", "/v1/messages", request)).toMatchObject({ status: 201 });
      const other = http.createCaller(await createToken(...withoutScope("user_tag:read")));
      expect(await other.send("POST", "/v1/messages", request)).toMatchObject({ status: 403 });
    });
  });
});
