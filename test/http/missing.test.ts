import type { Scope } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { jsonHeaders } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";

testOnEveryMount((http) => {
  describe("a 404", () => {
    test("names the missing resource in a header", async () => {
      const { acme, send } = await http.createOrganization();
      const { id: user } = await acme.users.create({ email: "ada@example.com" });
      await acme.tags.create({ name: "VIP" });
      const template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
      const { id: pass } = await acme.passes.create(template.id, { userId: user });
      const assertMissing = async (method: string, path: string, body?: unknown) => {
        const init = body === undefined ? {} : { headers: jsonHeaders, body: JSON.stringify(body) };
        const response = await send(method, path, init);
        expect(response).toMatchObject({ status: 404, body: { code: "resource_not_found", params: null } });
        return response.headers.get("loyalty-missing");
      };
      expect(await assertMissing("GET", "/v1/users/nobody")).toBe("user");
      expect(await assertMissing("POST", "/v1/users/nobody/tags/vip")).toBe("user");
      expect(await assertMissing("POST", `/v1/users/${user}/tags/none`)).toBe("UserTag");
      expect(await assertMissing("DELETE", `/v1/users/${user}/tags/vip`)).toBe("UserTagAssignment");
      const passesPath = (id: string) => `/v1/templates/${id}/walletpasses`;
      expect(await assertMissing("POST", passesPath(template.id), { userId: "nobody" })).toBe("user");
      expect(await assertMissing("POST", passesPath("none"), { userId: user })).toBe("template");
      expect(await assertMissing("GET", `${passesPath("none")}/${pass}`)).toBe("wallet_pass");
      expect(await assertMissing("GET", "/v1/walletpasses/lookup?qrCodeValue=none")).toBe("wallet_pass");
      expect(await assertMissing("POST", "/v1/walletpasses/none/stamps/add", {})).toBe("wallet_pass");
      const reverse = `/v1/walletpasses/${pass}/stamps/reverse`;
      expect(await assertMissing("POST", reverse, { entryId: "none" })).toBe("stamp_entry");
      expect(await assertMissing("DELETE", "/v1/api-tokens/none")).toBe("api_token");
      expect(await assertMissing("GET", "/v1/webhook-endpoints/none")).toBe("webhook_endpoint");
      expect(await assertMissing("GET", "/v1/none")).toBeNull();
    });

    test("names the missing resource only to callers who may read such resources, also in a replay", async () => {
      const { acme, createToken } = await http.createOrganization();
      await acme.tags.create({ name: "VIP" });
      const getErrorAs = async (...scopes: Scope[]) => {
        const { send } = http.createCaller(await createToken(...scopes));
        const headers = { "idempotency-key": "once" };
        const response = await send("POST", "/v1/users/nobody/tags/vip", { headers });
        return [response.headers.get("loyalty-missing"), response.headers.get("idempotency-replayed")];
      };
      expect(await getErrorAs("user_tag:write", "user_tag:read")).toEqual([null, null]);
      expect(await getErrorAs("user_tag:write", "user:read")).toEqual(["user", "true"]);
    });
  });
});
