import { describe, expect, test } from "vitest";
import { created, ok } from "./answers.js";
import { jsonHeaders } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";

describe("a path with a trailing slash", () => {
  testOnEveryMount((http) => {
    test.each(["/v1/users/", "/v1/user-tags/vip/", "/v1/contacts/?size=1", "/v1/walletpasses/lookup/"])(
      "is not found: %s",
      async (path) => {
        const { acme, sendPlainly } = await http.createOrganization();
        await acme.tags.create({ name: "VIP" });
        expect((await sendPlainly("GET", path)).status).toBe(404);
      },
    );
  });
});

testOnEveryMount(
  (http) => {
    /** Sends a request to the host, not to the API. */
    const fetchPath = async (path: string, init: RequestInit = {}) => {
      const response = await http.served.fetch(new URL(path, http.served.baseUrl).href, init);
      return { status: response.status, body: JSON.parse(await response.text()) };
    };

    describe("a host", () => {
      test("keeps its routes before and after the API's", async () => {
        expect(await fetchPath("/host/before")).toEqual(ok({ host: "before" }));
        const init = { method: "POST", headers: jsonHeaders, body: '{"a":[1]}' };
        expect(await fetchPath("/host/echo", init)).toEqual(ok({ a: [1] }));
      });

      test("handles the paths that don't belong to the API", async () => {
        const { prefix } = http.mount;
        for (const path of [
          ...[
            "/",
            "/unknown",
            "/v",
            "/version",
            "/v1x/users",
            "/api/v1/users",
            "/host",
            "/%zz/x",
            "/vv1",
            "/v1%2Fusers",
          ],
          ...(prefix === ""
            ? []
            : ["/v1/users", "/v1/openapi.json", prefix, `${prefix}/`, `${prefix}/unknown`]),
          ...(prefix === ""
            ? []
            : [`${prefix}x/v1/users`, `${prefix}/loyalty/v1/users`, `${prefix}/version`]),
        ]) {
          const { status, body } = await fetchPath(path);
          expect([400, 404], path).toContain(status);
          if (!path.includes("%zz"))
            expect({ status, body }, path).toEqual({ status: 404, body: { host: "fallback" } });
        }
      });

      test("keeps its own body parser", async () => {
        const { call } = await http.createOrganization();
        const init = { method: "POST", headers: jsonHeaders, body: '{"text":"a\ufffdb"}' };
        expect(await fetchPath("/host/echo", init)).toEqual(ok({ text: "a\ufffdb" }));
        expect(await call("POST", "/v1/user-tags", { name: "VIP" })).toMatchObject(created({ slug: "vip" }));
      });

      test("responds itself to a body that its own routes can't parse", async () => {
        for (const path of ["/host/echo", "/unknown", `${http.mount.prefix}/unknown`]) {
          const response = await http.served.fetch(new URL(path, http.served.baseUrl).href, {
            method: "POST",
            headers: jsonHeaders,
            body: "{",
          });
          expect([400, 404], path).toContain(response.status);
          expect(await response.text(), path).not.toContain('"params":null');
        }
      });
    });
  },
  { only: ({ hasHostRoutes }) => hasHostRoutes },
);
