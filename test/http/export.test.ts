import { describe, expect, test } from "vitest";
import { unzipped } from "../exports/unzipped.js";
import { denied } from "./answers.js";
import { onEveryMount } from "./every-mount.js";

onEveryMount((http) => {
  const ask = (token: string, init: RequestInit = {}) =>
    http.served.fetch(`${http.served.baseUrl}/v1/export`, {
      ...init,
      headers: { authorization: `Bearer ${token}` },
    });

  describe("the export of everything", () => {
    test("is a ZIP file of what the organization has, piece by piece", async () => {
      const { acme, tokenWith } = await http.organization();
      const metadata = { note: "x".repeat(200) };
      await acme.users.import(
        Array.from({ length: 1_500 }, (_, at) => ({ email: `customer-${at}@example.com`, metadata })),
      );
      const response = await ask(await tokenWith("organization:export"));
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/zip");
      expect(response.headers.get("content-disposition")).toBe('attachment; filename="export.zip"');
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("content-length")).toBeNull();
      const files = unzipped(Buffer.from(await response.arrayBuffer()));
      const users = String(files.get("users.csv"));
      expect(users).toContain("customer-0@example.com");
      expect(users).toContain("customer-1499@example.com");
      expect(files.has("manifest.json")).toBe(true);
    });

    test("needs its scope, whatever else a token has", async () => {
      const { tokenWith, acme } = await http.organization();
      const others = await tokenWith("user:read", "audit:read", "settings:write", "api_token:manage");
      expect(await http.client(others).call("GET", "/v1/export")).toMatchObject(
        denied("organization:export"),
      );
      expect((await acme.audit.list()).content.map(({ act }) => act)).not.toContain("organization.exported");
    });

    test("is not made for who asks for its headers alone", async () => {
      const { acme, token } = await http.organization();
      const response = await ask(token, { method: "HEAD" });
      expect([response.status, await response.text()]).toEqual([200, ""]);
      expect((await acme.audit.list()).content.map(({ act }) => act)).not.toContain("organization.exported");
    });

    test("is counted among the large answers until its reader has it, or has left", async () => {
      const { token } = await http.organization();
      const status = async () => {
        const response = await ask(token);
        await response.body?.cancel();
        return response.status;
      };
      for (let time = 0; time < 20; time += 1) await expect.poll(status).toBe(200);
      const open: Response[] = [];
      await expect
        .poll(async () => {
          open.push(await ask(token));
          return open.at(-1)?.status;
        })
        .toBe(429);
      expect(open.length).toBeLessThan(20);
      for (const response of open) await response.body?.cancel();
      await expect.poll(status).toBe(200);
    });
  });
});
