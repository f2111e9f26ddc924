import type { StorageAdapter, User } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { ok } from "./answers.js";
import { onEveryMount } from "./every-mount.js";

const COUNT = 3_000;

/** Fills an organization in one transaction, with the first user as the model of all. */
async function multiply(storage: StorageAdapter, organizationId: string, model: User): Promise<void> {
  await storage.transaction(function* (tx) {
    const first = yield* tx.findUser(organizationId, model.id);
    if (first === null) throw new Error("no model");
    const vip = yield* tx.findTag(organizationId, "vip");
    for (let at = 1; at < COUNT; at += 1) {
      const { ordinal, newest } = yield* tx.nextUser(organizationId);
      const createdAt = (newest?.createdAt ?? 0) + 1;
      const email = `user${at}@example.com`;
      const id = first.id.replace(/.{12}$/, at.toString(16).padStart(12, "0"));
      const user = { ...first, id, ordinal, email, createdAt, updatedAt: createdAt };
      yield* tx.insertUser(organizationId, user, { email, name: null, phone: null, externalId: null });
      if (vip !== null) {
        const assignment = { id: `uta_${at}`, userOrdinal: ordinal, tagOrdinal: vip.ordinal, createdAt };
        yield* tx.assignTag(organizationId, assignment);
      }
    }
  });
}

onEveryMount((http) => {
  describe("the list of users", () => {
    test("names its successor, under the prefix of the mount", async () => {
      const { send } = await http.organization();
      const { headers } = await send("GET", "/v1/users");
      expect(headers.get("deprecation")).toBe("@1795132800");
      expect(headers.get("link")).toBe(`<${http.mount.prefix}/v1/contacts>; rel="successor-version"`);
    });

    test("is the only one that is deprecated", async () => {
      const { acme, send } = await http.organization();
      await acme.tags.create({ name: "VIP" });
      for (const path of ["/v1/contacts", "/v1/user-tags/vip/users", "/v1/user-tags", "/v1/templates"]) {
        const { headers } = await send("GET", path);
        expect([headers.get("deprecation"), headers.get("link")]).toEqual([null, null]);
      }
    });
  });

  test("lists without pages arrive whole, in order, piece by piece", async () => {
    const { acme, token, send } = await http.organization();
    const model = await acme.users.create({
      email: "user0@example.com",
      metadata: { note: "x".repeat(500) },
    });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.assign(model.id, "vip");
    await multiply(http.storage, acme.id, model);
    const emails = Array.from({ length: COUNT }, (_, at) => ({ email: `user${at}@example.com` }));
    for (const path of ["/v1/users", "/v1/user-tags/vip/users"]) {
      expect(await send("GET", path)).toMatchObject(ok(emails));
      const response = await http.served.fetch(http.served.baseUrl + path, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.headers.get("content-length")).toBeNull();
      const sizes: number[] = [];
      for await (const chunk of response.body ?? []) sizes.push(chunk.length);
      const whole = sizes.reduce((sum, size) => sum + size, 0);
      expect(sizes.length).toBeGreaterThan(3);
      expect(Math.max(...sizes)).toBeLessThan(whole / 3);
    }
  });
});
