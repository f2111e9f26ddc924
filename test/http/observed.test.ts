import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, type RequestLogEntry } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";

async function recordRequests() {
  const heard: RequestLogEntry[] = [];
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    onResponse: (request) => heard.push(request),
  });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "till", scopes: ["user:read"] });
  const send = (path: string, headers: Record<string, string> = {}) =>
    api.fetch(new Request(`http://localhost${path}`, { headers }));
  return { heard, send, bearer: { authorization: `Bearer ${token}` } };
}

describe("whoever listens to answers", () => {
  it("hears the route and the organization of a request, and nothing that the client sent", async () => {
    const { heard, send, bearer } = await recordRequests();
    await send("/v1/users/ada?x=1", bearer);
    await send("/v1/users/ada");
    await send("/elsewhere");
    const common = { id: expect.any(String), method: "GET", duration: expect.any(Number) };
    expect(heard).toEqual([
      { ...common, route: "/v1/users/{userId}", organizationId: "acme", status: 404 },
      { ...common, route: "/v1/users/{userId}", organizationId: null, status: 401 },
      { ...common, route: null, organizationId: null, status: 404 },
    ]);
  });

  it("knows a request by the id that its answer has: the client's own, if that is a plain one", async () => {
    const { heard, send } = await recordRequests();
    const ids = ["till-7.42", "a b", "x".repeat(129), 'quoted"', ""];
    for (const id of ids) {
      const answer = await send("/v1/contacts", { "X-Request-Id": id });
      expect(answer.headers.get("x-request-id")).toBe(heard.at(-1)?.id);
    }
    const told = heard.map(({ id }) => id);
    expect(told[0]).toBe("till-7.42");
    for (const id of told.slice(1)) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(told).size).toBe(ids.length);
  });
});
