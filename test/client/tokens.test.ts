import { createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { getErrorDetail } from "../kit/refusal.js";
import { createFetch } from "./over-http.js";

/** A service that accepts only these tokens, and records the tokens that it receives. */
function acceptTokens(...valid: string[]) {
  const { loyalty } = openAcme();
  const handler = createFetch(loyalty);
  const receivedTokens: (string | null)[] = [];
  const recordToken = async (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    const token = headers.get("authorization")?.replace("Bearer ", "") ?? null;
    receivedTokens.push(token);
    if (token !== null && valid.includes(token)) headers.set("authorization", "Bearer acme");
    else headers.delete("authorization");
    return handler(url, { ...init, headers });
  };
  return { receivedTokens, fetch: recordToken, url: "http://api/loyalty/" };
}

describe("the token", () => {
  it("is fetched once for all calls, and once more when it is refused", async () => {
    const { receivedTokens, ...service } = acceptTokens("second");
    const rejectedTokens: (string | null)[] = [];
    const fetchToken = async (rejectedToken: string | null) => {
      rejectedTokens.push(rejectedToken);
      return rejectedTokens.length === 1 ? "first" : "second";
    };
    const client = createClient({ ...service, token: fetchToken });
    await Promise.all([client.tags.list(), client.tags.list(), client.templates.list()]);
    await client.tags.list();
    expect(rejectedTokens).toEqual([null, "first"]);
    expect(receivedTokens.filter((each) => each === "first")).toHaveLength(3);
  });

  it.each([
    ["a string", "wrong"],
    ["from a constant function", () => "wrong"],
  ])("is refused when it is %s and wrong", async (_, token) => {
    const { receivedTokens, ...service } = acceptTokens("right");
    const client = createClient({ ...service, token });
    expect(await getErrorDetail(client.tags.list())).toEqual({ code: "unauthorized", params: null });
    expect(receivedTokens).toEqual(["wrong"]);
  });

  it("is fetched again by the next call after fetching it failed", async () => {
    const { receivedTokens, ...service } = acceptTokens("right");
    let tries = 0;
    const fetchToken = () => {
      tries += 1;
      if (tries === 1) throw new Error("signed out");
      return "right";
    };
    const client = createClient({ ...service, token: fetchToken });
    await expect(client.tags.list()).rejects.toThrow("signed out");
    expect(await client.tags.list()).toEqual([]);
    expect(receivedTokens).toEqual(["right"]);
  });

  it("is not sent if it is null, for a fetch that authenticates by itself", async () => {
    const { receivedTokens, ...service } = acceptTokens();
    const client = createClient({ ...service, token: null });
    expect(await getErrorDetail(client.tags.list())).toEqual({ code: "unauthorized", params: null });
    expect(receivedTokens).toEqual([null]);
  });
});
