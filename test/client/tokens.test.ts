import { createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { getErrorDetail } from "../kit/refusal.js";
import { fetchOf } from "./over-http.js";

/** A service that takes only this token, and whom it was shown. */
function taking(...valid: string[]) {
  const { loyalty } = openAcme();
  const answer = fetchOf(loyalty);
  const shown: (string | null)[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    const token = headers.get("authorization")?.replace("Bearer ", "") ?? null;
    shown.push(token);
    if (token !== null && valid.includes(token)) headers.set("authorization", "Bearer acme");
    else headers.delete("authorization");
    return answer(url, { ...init, headers });
  };
  return { shown, fetch, url: "http://api/loyalty/" };
}

describe("the token", () => {
  it("is fetched once for all calls, and once more when it is refused", async () => {
    const { shown, ...service } = taking("second");
    const fetched: (string | null)[] = [];
    const token = async (refused: string | null) => {
      fetched.push(refused);
      return fetched.length === 1 ? "first" : "second";
    };
    const client = createClient({ ...service, token });
    await Promise.all([client.tags.list(), client.tags.list(), client.templates.list()]);
    await client.tags.list();
    expect(fetched).toEqual([null, "first"]);
    expect(shown.filter((each) => each === "first")).toHaveLength(3);
  });

  it.each([
    ["a text", "wrong"],
    ["a function without another one", () => "wrong"],
  ])("is refused when it is %s and wrong", async (_, token) => {
    const { shown, ...service } = taking("right");
    const client = createClient({ ...service, token });
    expect(await getErrorDetail(client.tags.list())).toEqual({ code: "unauthorized", params: null });
    expect(shown).toEqual(["wrong"]);
  });

  it("is asked for again by the next call when fetching it failed", async () => {
    const { shown, ...service } = taking("right");
    let tries = 0;
    const token = () => {
      tries += 1;
      if (tries === 1) throw new Error("signed out");
      return "right";
    };
    const client = createClient({ ...service, token });
    await expect(client.tags.list()).rejects.toThrow("signed out");
    expect(await client.tags.list()).toEqual([]);
    expect(shown).toEqual(["right"]);
  });

  it("is none where fetch shows by itself who calls", async () => {
    const { shown, ...service } = taking();
    const client = createClient({ ...service, token: null });
    expect(await getErrorDetail(client.tags.list())).toEqual({ code: "unauthorized", params: null });
    expect(shown).toEqual([null]);
  });
});
