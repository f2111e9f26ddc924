import type { Server } from "node:http";
import { apiTokens, createHttpApi, nodeServer } from "loyalty-kit/http";
import { postgresStorage } from "loyalty-kit/postgres";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openAcme } from "../kit/acme.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";
import { createPlace } from "./place.js";
import { type OwnServer, startOwnServer } from "./server.js";

let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});
afterAll(() => server?.stop());

expectNothingUnhandled();

/** Starts the HTTP API, with a client that has all scopes it needs. */
async function startServer() {
  const { url } = await createPlace(server.url);
  const { loyalty, acme } = openAcme({ storage: await postgresStorage(url) });
  const { token } = await acme.apiTokens.create({
    name: "all",
    scopes: ["user:create", "user:read", "user_tag:read", "user_tag:write"],
  });
  const errors: unknown[] = [];
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    onError: (error) => void errors.push(error),
  });
  const baseUrl = await startListening(nodeServer(api));
  const request = (method: string, path: string, body?: unknown) =>
    fetch(`${baseUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { request, errors };
}

async function startListening(http: Server): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await new Promise((resolve) => {
      http.close(resolve);
      http.closeAllConnections();
    });
  });
  const address = http.address();
  if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
  return `http://127.0.0.1:${address.port}`;
}

describe("over HTTP, while the database server is down", () => {
  it("every call gets a 503 with Retry-After, and succeeds once the server is back", async () => {
    const { request, errors } = await startServer();
    const filter = { operator: "NOT", conditions: [{ slug: "vip" }] };
    const calls = [
      { method: "GET", path: "/users", done: 200 },
      { method: "POST", path: "/users", body: { email: "ada@example.com" }, done: 201 },
      { method: "GET", path: "/contacts", done: 200 },
      { method: "POST", path: "/user-tags", body: { name: "VIP" }, done: 201 },
      { method: "POST", path: "/user-tags/query", body: { filter }, done: 200 },
      { method: "DELETE", path: "/user-tags/vip", done: 204 },
    ];
    await server.halt();
    for (const { method, path, body } of calls) {
      const answer = await request(method, path, body);
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(await answer.text()).toBe('{"code":"storage_unavailable","params":null}');
    }
    expect(errors).toHaveLength(calls.length);
    for (const error of errors) expect(error).toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await server.resume();
    for (const { method, path, body, done } of calls) {
      const answer = await request(method, path, body);
      expect({ path, status: answer.status }).toEqual({ path, status: done });
      await answer.text();
    }
    expect(errors).toHaveLength(calls.length);
  });
});
