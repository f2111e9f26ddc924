import { scopes } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { createWorld, titleOf } from "./endpoints.js";
import { testOnEachDatabase } from "./every-mount.js";

const withoutScope = (scope: string) => scopes.filter((other) => other !== scope);

testOnEachDatabase((http) => {
  test("a mail is accepted with the location of its delivery, and so is a replay", async () => {
    const { send, call, world: acme } = await createWorld(http);
    const path = `/v1/walletpasses/${acme.walletPassId}/notify`;
    const headers = { "idempotency-key": "once" };
    const response = await send("POST", path, { headers });
    expect(response).toMatchObject({ status: 202, body: { object: "message_delivery", status: "PENDING" } });
    const location = response.headers.get("location") ?? "";
    expect(location).toMatch(/\/v1\/message-deliveries\/mdl_[0-9a-f-]{36}$/);
    const found = location.slice(location.indexOf("/v1/"));
    expect(await call("GET", found)).toEqual({ status: 200, body: response.body });
    const repeatedResponse = await send("POST", path, { headers });
    expect(repeatedResponse).toMatchObject({ status: 202, body: response.body });
    expect(repeatedResponse.headers.get("location")).toBe(location);
  });

  test("a mail that is too soon is refused with the time of the next one", async () => {
    const { send, world: acme } = await createWorld(http);
    const path = `/v1/walletpasses/${acme.walletPassId}/notify`;
    await send("POST", path);
    http.clock.move(500);
    const possibleAt = new Date(http.clock.now() + 59_500).toISOString();
    const response = await send("POST", path);
    expect(response).toMatchObject({
      status: 409,
      body: { code: "pass_notified_recently", params: [possibleAt] },
    });
    expect(response.headers.get("retry-after")).toBe("60");
    http.clock.move(59_500);
    expect(await send("POST", path)).toMatchObject({ status: 202 });
  });

  describe("notify: true", () => {
    test("requires pass:notify as well, also for a replay", async () => {
      const { createToken, world: acme } = await createWorld(http);
      const path = `/v1/templates/${acme.templateId}/walletpasses`;
      const body = JSON.stringify({ userId: acme.userId, notify: true });
      const headers = { "content-type": "application/json", "idempotency-key": "k" };
      const allowedCaller = http.createCaller(await createToken("pass:create", "pass:notify"));
      const creation = await allowedCaller.send("POST", path, { headers, body });
      expect(creation).toMatchObject({ status: 201, body: { notification: { delivery: { kind: "pass" } } } });
      const deniedCaller = http.createCaller(await createToken(...withoutScope("pass:notify")));
      const wrong = JSON.stringify({ userId: 5, notify: true });
      for (const [key, requestBody] of [
        ["k", body],
        ["other", body],
        ["wrong", wrong],
      ] as const) {
        const response = await deniedCaller.send("POST", path, {
          headers: { ...headers, "idempotency-key": key },
          body: requestBody,
        });
        expect(response, titleOf({ method: "POST", path })).toMatchObject({
          status: 403,
          body: { code: "access_denied", message: expect.stringContaining("pass:notify") },
        });
      }
    });
  });
});
