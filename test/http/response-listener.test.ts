import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, type RequestLogEntry } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";

async function recordRequests() {
  const received: RequestLogEntry[] = [];
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    onResponse: (request) => received.push(request),
  });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "till", scopes: ["user:read"] });
  const send = (path: string, headers: Record<string, string> = {}) =>
    api.fetch(new Request(`http://localhost${path}`, { headers }));
  return { received, send, bearer: { authorization: `Bearer ${token}` } };
}

describe("a listener for responses", () => {
  it("gets a request's route and organization, and nothing that the client sent", async () => {
    const { received, send, bearer } = await recordRequests();
    await send("/v1/users/ada?x=1", bearer);
    await send("/v1/users/ada");
    await send("/elsewhere");
    const common = { id: expect.any(String), method: "GET", duration: expect.any(Number) };
    expect(received).toEqual([
      { ...common, route: "/v1/users/{userId}", organizationId: "acme", status: 404 },
      { ...common, route: "/v1/users/{userId}", organizationId: null, status: 401 },
      { ...common, route: null, organizationId: null, status: 404 },
    ]);
  });

  it("gets the request id of the response, which is the client's own if that is valid", async () => {
    const { received, send } = await recordRequests();
    const ids = ["till-7.42", "a b", "x".repeat(129), 'quoted"', ""];
    for (const id of ids) {
      const response = await send("/v1/contacts", { "X-Request-Id": id });
      expect(response.headers.get("x-request-id")).toBe(received.at(-1)?.id);
    }
    const requestIds = received.map(({ id }) => id);
    expect(requestIds[0]).toBe("till-7.42");
    for (const id of requestIds.slice(1)) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(requestIds).size).toBe(ids.length);
  });
});
