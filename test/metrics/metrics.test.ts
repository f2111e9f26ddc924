import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createMetrics } from "loyalty-kit/metrics";
import { describe, expect, it } from "vitest";

async function measured() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const metrics = createMetrics(loyalty);
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onAnswer: metrics.onAnswer });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "till", scopes: ["user:read"] });
  const get = (path: string, method = "GET") =>
    api.fetch(
      new Request(`http://localhost${path}`, { method, headers: { authorization: `Bearer ${token}` } }),
    );
  return { loyalty, acme, metrics, get };
}

describe("metrics", () => {
  it("count requests by method, route and status, whatever the path was", async () => {
    const { metrics, get } = await measured();
    await get("/v1/users/ada");
    await get("/v1/users/bob?secret=1");
    await get("/v1/contacts");
    await get("/v1/nothing/at/all");
    await get("/v1/contacts", "BREW");
    const counts = (await metrics.text()).match(/^\w+_count\{.+$/gm);
    expect(counts?.sort()).toEqual([
      'loyalty_http_request_duration_seconds_count{method="GET",route="/v1/contacts",status="200"} 1',
      'loyalty_http_request_duration_seconds_count{method="GET",route="/v1/users/{userId}",status="404"} 2',
      'loyalty_http_request_duration_seconds_count{method="any",route="none",status="404"} 1',
      'loyalty_http_request_duration_seconds_count{method="any",route="none",status="405"} 1',
    ]);
  });

  it("count committed changes by the kind of their events, until they are closed", async () => {
    const { acme, metrics } = await measured();
    await acme.users.create({ email: "ada@example.com" });
    await acme.users.create({ email: "ada@example.com" }).catch(() => undefined);
    expect(await metrics.text()).toContain('loyalty_events_total{type="user.created"} 1\n');
    metrics.close();
    await acme.users.create({ email: "bob@example.com" });
    expect(await metrics.text()).toContain('loyalty_events_total{type="user.created"} 1\n');
  });
});
