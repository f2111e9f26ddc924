import { join } from "node:path";
import { createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { createEmptyFolder, startServer } from "../cli/command.js";
import { runCommand } from "../cli/run-command.js";
import { addCleanup } from "../kit/cleanup.js";
import { openForRun } from "../kit/this-run.js";
import { createPlace } from "../postgres/place.js";

const sameOriginHeaders = { "sec-fetch-site": "same-origin" };
const databases = openForRun({
  SQLite: async () => join(createEmptyFolder(), "loyalty.db"),
  Postgres: async () => {
    const database = await createPlace();
    addCleanup(() => database.remove());
    return database.url;
  },
});

describe.each(Object.entries(databases))("a console session in two processes on %s", (_, storageKind) => {
  it("ends immediately in both after signing out in one or a revocation, and stays ended after a restart", async () => {
    const database = await storageKind();
    const tokenArgs = [
      "token",
      "create",
      "--database",
      database,
      "--organization",
      "acme",
      "--scopes",
      "all",
    ];
    const createToken = async (name: string) =>
      (await runCommand([...tokenArgs, "--name", name])).stdout.trim();
    const key = { LOYALTY_OAUTH_KEY: "a secret of thirty-two characters" };
    const firstServer = await startServer(["--database", database], key);
    const secondServer = await startServer(["--database", database], key);
    const getStatus = async (url: string, cookie: string) => {
      const headers = { cookie, ...sameOriginHeaders, "x-loyalty-console": "1" };
      return (await fetch(`${url}/console/api/v1/api-tokens`, { headers })).status;
    };
    const listStatuses = (cookie: string) =>
      Promise.all([firstServer, secondServer].map(({ url }) => getStatus(url, cookie)));
    const signIn = async (token: string) => {
      const body = new URLSearchParams({ token });
      const request = { method: "POST", headers: sameOriginHeaders, body, redirect: "manual" } as const;
      const response = await fetch(`${firstServer.url}/console`, request);
      return response.headers.get("set-cookie")?.split(";")[0] ?? "";
    };
    const token = await createToken("both");
    const [leftCookie, stays] = [await signIn(token), await signIn(token)];
    expect(await listStatuses(leftCookie)).toEqual([200, 200]);
    for (const { url } of [secondServer, secondServer]) {
      const signOutRequest = {
        method: "POST",
        headers: { ...sameOriginHeaders, cookie: leftCookie },
        redirect: "manual",
      } as const;
      expect((await fetch(`${url}/console/sign-out`, signOutRequest)).status).toBe(303);
      expect(await listStatuses(leftCookie)).toEqual([401, 401]);
    }
    expect(await listStatuses(stays)).toEqual([200, 200]);

    const revokedToken = await createToken("revoked");
    const endedCookie = await signIn(revokedToken);
    expect(await listStatuses(endedCookie)).toEqual([200, 200]);
    const { apiTokens } = createClient({ url: firstServer.url, token });
    const { id = "" } = (await apiTokens.list()).find(({ name }) => name === "revoked") ?? {};
    await apiTokens.delete(id);
    expect(await listStatuses(endedCookie)).toEqual([401, 401]);

    firstServer.process.kill("SIGTERM");
    await firstServer.exit;
    const restartedServer = await startServer(["--database", database], key);
    expect([
      await getStatus(restartedServer.url, leftCookie),
      await getStatus(restartedServer.url, stays),
    ]).toEqual([401, 200]);
  });
});
