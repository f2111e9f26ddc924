import { join } from "node:path";
import { createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { createEmptyFolder, startServer } from "../cli/command.js";
import { runCommand } from "../cli/ran.js";
import { afterwards } from "../kit/afterwards.js";
import { inThisRun } from "../kit/this-run.js";
import { newPlace } from "../postgres/place.js";

const own = { "sec-fetch-site": "same-origin" };
const databases = inThisRun({
  SQLite: async () => join(createEmptyFolder(), "loyalty.db"),
  Postgres: async () => {
    const place = await newPlace();
    afterwards(() => place.remove());
    return place.url;
  },
});

describe.each(Object.entries(databases))("a session of the console in two processes on %s", (_, place) => {
  it("ends at once in both by signing out in one, by a revocation, and stays ended after a restart", async () => {
    const database = await place();
    const made = ["token", "create", "--database", database, "--organization", "acme", "--scopes", "all"];
    const createToken = async (name: string) => (await runCommand([...made, "--name", name])).stdout.trim();
    const key = { LOYALTY_OAUTH_KEY: "a secret of thirty-two characters" };
    const one = await startServer(["--database", database], key);
    const two = await startServer(["--database", database], key);
    const getStatus = async (url: string, cookie: string) => {
      const headers = { cookie, ...own, "x-loyalty-console": "1" };
      return (await fetch(`${url}/console/api/v1/api-tokens`, { headers })).status;
    };
    const listStatuses = (cookie: string) => Promise.all([one, two].map(({ url }) => getStatus(url, cookie)));
    const signIn = async (token: string) => {
      const body = new URLSearchParams({ token });
      const asked = { method: "POST", headers: own, body, redirect: "manual" } as const;
      const answer = await fetch(`${one.url}/console`, asked);
      return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    };
    const token = await createToken("both");
    const [left, stays] = [await signIn(token), await signIn(token)];
    expect(await listStatuses(left)).toEqual([200, 200]);
    for (const { url } of [two, two]) {
      const out = { method: "POST", headers: { ...own, cookie: left }, redirect: "manual" } as const;
      expect((await fetch(`${url}/console/sign-out`, out)).status).toBe(303);
      expect(await listStatuses(left)).toEqual([401, 401]);
    }
    expect(await listStatuses(stays)).toEqual([200, 200]);

    const revoked = await createToken("revoked");
    const ended = await signIn(revoked);
    expect(await listStatuses(ended)).toEqual([200, 200]);
    const { apiTokens } = createClient({ url: one.url, token });
    const { id = "" } = (await apiTokens.list()).find(({ name }) => name === "revoked") ?? {};
    await apiTokens.delete(id);
    expect(await listStatuses(ended)).toEqual([401, 401]);

    one.process.kill("SIGTERM");
    await one.ended;
    const again = await startServer(["--database", database], key);
    expect([await getStatus(again.url, left), await getStatus(again.url, stays)]).toEqual([401, 200]);
  });
});
