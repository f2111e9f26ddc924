import { LoyaltyService } from "loyalty-kit";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { homeRedirect } from "../../adapters/apps/cli/server/extensions.js";

const loyalty = new LoyaltyService({ storage: memoryStorage() });
const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), extensions: [homeRedirect] });

async function getHome(accept: string | null, method = "GET") {
  const headers: [string, string][] = accept === null ? [] : [["accept", accept]];
  const response = await api.fetch(new Request("http://localhost/", { method, headers }));
  return {
    status: response.status,
    location: response.headers.get("location"),
    vary: response.headers.get("vary"),
  };
}

describe("the root path of the server", () => {
  it.each([
    ["a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
    ["curl", "*/*"],
    ["a client that sends no Accept header", null],
    ["a client that accepts text", "application/json, text/*;q=0.1"],
  ])("redirects %s to the console", async (_, accept) => {
    expect(await getHome(accept)).toEqual({ status: 303, location: "/console", vary: "accept" });
    expect((await getHome(accept, "HEAD")).status).toBe(303);
  });

  it.each([
    ["JSON", "application/json"],
    ["anything except HTML", "text/html;q=0, */*"],
    ["nothing, with a weight of 0", "*/*;q=0"],
  ])("responds with 404 to a client that accepts %s", async (_, accept) => {
    expect(await getHome(accept)).toEqual({ status: 404, location: null, vary: "accept" });
  });

  it("rejects a POST with 405", async () => {
    expect((await getHome("*/*", "POST")).status).toBe(405);
  });
});
