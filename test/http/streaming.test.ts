import { describe, expect, test } from "vitest";
import { ok } from "./answers.js";
import { testOnEveryMount } from "./every-mount.js";

const COUNT = 1_500;

testOnEveryMount((http) => {
  describe("the list of users", () => {
    test("links to its successor, under the prefix of the mount", async () => {
      const { send } = await http.createOrganization();
      const { headers } = await send("GET", "/v1/users");
      expect(headers.get("deprecation")).toBe("@1795132800");
      expect(headers.get("link")).toBe(`<${http.mount.prefix}/v1/contacts>; rel="successor-version"`);
    });

    test("is the only deprecated list", async () => {
      const { acme, send } = await http.createOrganization();
      await acme.tags.create({ name: "VIP" });
      for (const path of ["/v1/contacts", "/v1/user-tags/vip/users", "/v1/user-tags", "/v1/templates"]) {
        const { headers } = await send("GET", path);
        expect([headers.get("deprecation"), headers.get("link")]).toEqual([null, null]);
      }
    });
  });

  test("lists without pages arrive complete, in order and in pieces", async () => {
    const { acme, token, send } = await http.createOrganization();
    const emails = Array.from({ length: COUNT }, (_, at) => ({ email: `user${at}@example.com` }));
    const rows = emails.map(({ email }) => ({ email, metadata: { note: "x".repeat(500) }, tags: ["vip"] }));
    await acme.tags.create({ name: "VIP" });
    for (let at = 0; at < COUNT; at += 500) await acme.users.import(rows.slice(at, at + 500));
    for (const path of ["/v1/users", "/v1/user-tags/vip/users"]) {
      expect(await send("GET", path)).toMatchObject(ok(emails));
      const response = await http.served.fetch(http.served.baseUrl + path, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.headers.get("content-length")).toBeNull();
      const sizes: number[] = [];
      for await (const chunk of response.body ?? []) sizes.push(chunk.length);
      const totalSize = sizes.reduce((sum, size) => sum + size, 0);
      expect(sizes.length).toBeGreaterThan(3);
      expect(Math.max(...sizes)).toBeLessThan(totalSize / 3);
    }
  });
});
