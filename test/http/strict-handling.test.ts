import { describe, expect, test } from "vitest";
import { created, ok } from "./answers.js";
import { jsonHeaders } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";

const strict = { prefer: "handling=strict" };
const unknownFieldsError = (...fields: string[]) => ({
  status: 422,
  body: {
    STANDARD_VALIDATION: Object.fromEntries(
      fields.map((field) => [field, expect.stringMatching(/^is not a known field/)]),
    ),
  },
});

testOnEveryMount((http) => {
  describe("strict handling", () => {
    test("refuses unknown fields of a body, by their paths, and changes nothing", async () => {
      const { acme, send } = await http.createOrganization();
      const postBody = (path: string, body: unknown, headers: Record<string, string> = strict) =>
        send("POST", path, { headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) });
      const user = { email: "ada@example.com", emial: "b@example.com", metadata: { any: { thing: 1 } } };
      expect(await postBody("/v1/users", user)).toMatchObject(unknownFieldsError("emial"));
      const template = await acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD" });
      const passes = `/v1/templates/${template.id}/walletpasses`;
      expect(await postBody(passes, { user, preview: true })).toMatchObject(
        unknownFieldsError("user.emial", "preview"),
      );
      expect((await acme.contacts.list()).totalElements).toBe(0);
      const { emial: _, ...right } = user;
      const response = await postBody("/v1/users", right);
      expect(response).toMatchObject(created(expect.objectContaining({ metadata: user.metadata })));
      expect(response.headers.get("preference-applied")).toBe("handling=strict");
    });

    test("refuses unknown URL parameters by name, and every other response confirms strict handling", async () => {
      const { call, send } = await http.createOrganization();
      const getPath = (path: string) => send("GET", path, { headers: strict });
      expect(await getPath("/v1/contacts?serach=ada&size=5&sise=5")).toMatchObject(
        unknownFieldsError("serach", "sise"),
      );
      expect(await getPath("/v1/user-tags?all")).toMatchObject(unknownFieldsError("all"));
      expect(await getPath("/v1/users?after=1")).toMatchObject(unknownFieldsError("after"));
      expect((await getPath("/v1/contacts?size=x&sise=5")).status).toBe(400);
      const { status, headers } = await getPath("/v1/contacts?search=ada&size=5");
      expect([status, headers.get("preference-applied")]).toEqual([200, strict.prefer]);
      const missing = await getPath("/v1/users/nobody");
      expect([missing.status, missing.headers.get("preference-applied")]).toEqual([404, strict.prefer]);
      expect(await call("GET", "/v1/contacts?serach=ada")).toMatchObject({ status: 200 });
    });

    test("refuses an unknown parameter of a call that changes something, and changes nothing", async () => {
      const { acme, send } = await http.createOrganization();
      const body = JSON.stringify({ name: "VIP" });
      const headers = { ...jsonHeaders, ...strict };
      expect(await send("POST", "/v1/user-tags?dryRun=true", { headers, body })).toMatchObject(
        unknownFieldsError("dryRun"),
      );
      expect(await acme.tags.list()).toEqual([]);
    });

    test("leaves filters that are too deep to the check of their depth", async () => {
      const { send } = await http.createOrganization();
      const filter = `${'{"filters":['.repeat(20_000)}${"]}".repeat(20_000)}`;
      const response = await send("POST", "/v1/user-tags/query", {
        headers: { ...jsonHeaders, ...strict },
        body: `{"filter":${filter},"pgae":1}`,
      });
      expect(response).toMatchObject({
        status: 422,
        body: { STANDARD_VALIDATION: { filter: "must be at most 32 levels deep" } },
      });
    });

    test("reports other errors first, and accepts any spelling of the preference", async () => {
      const { call, send } = await http.createOrganization();
      const postBody = (body: unknown, prefer: string) =>
        send("POST", "/v1/user-tags", { headers: { ...jsonHeaders, prefer }, body: JSON.stringify(body) });
      expect(await postBody({ nmae: "VIP" }, strict.prefer)).toMatchObject({
        body: { STANDARD_VALIDATION: { name: "is required" } },
      });
      for (const prefer of [
        "respond-async, handling=strict",
        'Handling = "strict"',
        "handling=strict; a=1",
      ]) {
        expect(await postBody({ name: "VIP", nmae: "" }, prefer), prefer).toMatchObject(
          unknownFieldsError("nmae"),
        );
      }
      const lenient = await postBody({ name: "VIP", nmae: "" }, "handling=lenient");
      expect(lenient.status).toBe(201);
      expect(lenient.headers.has("preference-applied")).toBe(false);
      expect(await call("GET", "/v1/user-tags")).toEqual(ok([expect.objectContaining({ name: "VIP" })]));
    });
  });
});
