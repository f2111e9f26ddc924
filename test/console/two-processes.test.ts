import { join } from "node:path";
import { createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { emptyFolder, serve } from "../cli/command.js";
import { ran } from "../cli/ran.js";
import { addCleanup } from "../kit/afterwards.js";
import { openForRun } from "../kit/this-run.js";
import { createPlace } from "../postgres/place.js";

const own = { "sec-fetch-site": "same-origin" };
const databases = openForRun({
  SQLite: async () => join(emptyFolder(), "loyalty.db"),
  Postgres: async () => {
    const place = await createPlace();
    addCleanup(() => place.remove());
    return place.url;
  },
});

describe.each(Object.entries(databases))("a session of the console in two processes on %s", (_, place) => {
  it("ends at once in both by signing out in one, by a revocation, and stays ended after a restart", async () => {
    const database = await place();
    const made = ["token", "create", "--database", database, "--organization", "acme", "--scopes", "all"];
    const tokenNamed = async (name: string) => (await ran([...made, "--name", name])).stdout.trim();
    const key = { LOYALTY_OAUTH_KEY: "a secret of thirty-two characters" };
    const one = await serve(["--database", database], key);
    const two = await serve(["--database", database], key);
    const status = async (url: string, cookie: string) => {
      const headers = { cookie, ...own, "x-loyalty-console": "1" };
      return (await fetch(`${url}/console/api/v1/api-tokens`, { headers })).status;
    };
    const everywhere = (cookie: string) => Promise.all([one, two].map(({ url }) => status(url, cookie)));
    const signIn = async (token: string) => {
      const body = new URLSearchParams({ token });
      const asked = { method: "POST", headers: own, body, redirect: "manual" } as const;
      const answer = await fetch(`${one.url}/console`, asked);
      return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    };
    const token = await tokenNamed("both");
    const [left, stays] = [await signIn(token), await signIn(token)];
    expect(await everywhere(left)).toEqual([200, 200]);
    for (const { url } of [two, two]) {
      const out = { method: "POST", headers: { ...own, cookie: left }, redirect: "manual" } as const;
      expect((await fetch(`${url}/console/sign-out`, out)).status).toBe(303);
      expect(await everywhere(left)).toEqual([401, 401]);
    }
    expect(await everywhere(stays)).toEqual([200, 200]);

    const revoked = await tokenNamed("revoked");
    const ended = await signIn(revoked);
    expect(await everywhere(ended)).toEqual([200, 200]);
    const { apiTokens } = createClient({ url: one.url, token });
    const { id = "" } = (await apiTokens.list()).find(({ name }) => name === "revoked") ?? {};
    await apiTokens.delete(id);
    expect(await everywhere(ended)).toEqual([401, 401]);

    one.process.kill("SIGTERM");
    await one.ended;
    const again = await serve(["--database", database], key);
    expect([await status(again.url, left), await status(again.url, stays)]).toEqual([401, 200]);
  });
});
