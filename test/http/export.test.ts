import { randomBytes } from "node:crypto";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { describe, expect, test } from "vitest";
import { unzip } from "../exports/unzipped.js";
import { openAcme } from "../kit/acme.js";
import { denied } from "./answers.js";
import { testOnEveryMount } from "./every-mount.js";

testOnEveryMount((http) => {
  const getExport = (token: string, init: RequestInit = {}) =>
    http.served.fetch(`${http.served.baseUrl}/v1/export`, {
      ...init,
      headers: { authorization: `Bearer ${token}` },
    });

  describe("the full export", () => {
    test("is a ZIP file of the organization's data, sent in pieces", async () => {
      const { acme, createToken } = await http.createOrganization();
      const metadata = { note: "x".repeat(200) };
      await acme.users.import(
        Array.from({ length: 1_500 }, (_, at) => ({ email: `customer-${at}@example.com`, metadata })),
      );
      const response = await getExport(await createToken("organization:export"));
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/zip");
      expect(response.headers.get("content-disposition")).toBe('attachment; filename="export.zip"');
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("content-length")).toBeNull();
      const files = unzip(Buffer.from(await response.arrayBuffer()));
      const users = String(files.get("users.csv"));
      expect(users).toContain("customer-0@example.com");
      expect(users).toContain("customer-1499@example.com");
      expect(files.has("manifest.json")).toBe(true);
    });

    test("requires its scope, whatever other scopes a token has", async () => {
      const { createToken, acme } = await http.createOrganization();
      const otherToken = await createToken("user:read", "audit:read", "settings:write", "api_token:manage");
      expect(await http.client(otherToken).call("GET", "/v1/export")).toMatchObject(
        denied("organization:export"),
      );
      expect((await acme.audit.list()).content.map(({ action }) => action)).not.toContain(
        "organization.exported",
      );
    });

    test("is not created for a HEAD request", async () => {
      const { acme, token } = await http.createOrganization();
      const response = await getExport(token, { method: "HEAD" });
      expect([response.status, await response.text()]).toEqual([200, ""]);
      expect((await acme.audit.list()).content.map(({ action }) => action)).not.toContain(
        "organization.exported",
      );
    });

    test("releases its slot for large responses when its reader has left", async () => {
      const { token } = await http.createOrganization();
      const getStatus = async () => {
        const response = await getExport(token);
        await response.body?.cancel();
        return response.status;
      };
      for (let time = 0; time < 20; time += 1) await expect.poll(getStatus).toBe(200);
    });
  });
});

test("an unread export occupies one of the slots for large responses", async () => {
  const { loyalty, acme } = openAcme();
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
  const { token } = await acme.apiTokens.create({ name: "Export", scopes: ["organization:export"] });
  // Compressed, it is larger than 64 KiB.
  const createNoise = () => randomBytes(8_000).toString("base64");
  for (let at = 0; at < 20; at += 1)
    await acme.users.create({ email: `${at}@example.com`, metadata: { noise: createNoise() } });
  const getExport = () =>
    api.fetch(new Request("http://api/v1/export", { headers: { authorization: `Bearer ${token}` } }));
  const open = await Promise.all(Array.from({ length: 9 }, getExport));
  expect(open.map(({ status }) => status).sort()).toEqual([...Array(8).fill(200), 429]);
  await Promise.all(open.map(({ body }) => body?.cancel()));
  expect((await getExport()).status).toBe(200);
});
