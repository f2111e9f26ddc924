import { describe, expect, test } from "vitest";
import { conflict, created, deleted, invalid, notFound, ok, wrongType } from "./answers.js";
import { readText } from "./client.js";
import { testOnEachDatabase } from "./every-mount.js";

testOnEachDatabase((http) => {
  describe("a template", () => {
    test("of a stamp card has its number of stamps", async () => {
      const { call } = await http.createOrganization();
      const now = new Date(http.clock.now()).toISOString();
      const input = { name: " Coffee ", type: "STAMP_CARD", maxStamps: 10 };
      const response = await call("POST", "/v1/templates", input);
      expect(response).toEqual(
        created({
          id: expect.stringMatching(/^tpl_/),
          object: "template",
          key: null,
          name: "Coffee",
          type: "STAMP_CARD",
          maxStamps: 10,
          reward: null,
          design: null,
          earning: null,
          points: null,
          createdAt: now,
          updatedAt: now,
        }),
      );
      expect(await call("GET", `/v1/templates/${readText(response, "id")}`)).toEqual(ok(response.body));
    });

    test("of a loyalty card has no stamps", async () => {
      const { call } = await http.createOrganization();
      const input = { name: "Member", type: "LOYALTY_CARD" };
      for (const body of [input, { ...input, maxStamps: null }]) {
        expect(await call("POST", "/v1/templates", body)).toMatchObject(
          created({ ...input, maxStamps: null }),
        );
      }
      expect(await call("POST", "/v1/templates", { ...input, maxStamps: 10 })).toEqual(invalid("maxStamps"));
    });

    test("has 1 to 100 stamps", async () => {
      const { call } = await http.createOrganization();
      const input = { name: "Coffee", type: "STAMP_CARD" };
      for (const maxStamps of [1, 100, 10.0]) {
        expect(await call("POST", "/v1/templates", { ...input, maxStamps })).toMatchObject(
          created({ maxStamps }),
        );
      }
      for (const maxStamps of [0, 101, -1]) {
        expect(await call("POST", "/v1/templates", { ...input, maxStamps })).toEqual(invalid("maxStamps"));
      }
      for (const missing of [input, { ...input, maxStamps: null }]) {
        expect(await call("POST", "/v1/templates", missing)).toEqual(invalid("maxStamps"));
      }
      expect(await call("POST", "/v1/templates", { ...input, maxStamps: 1.5 })).toEqual(
        wrongType("maxStamps"),
      );
    });

    test("requires a name and a known type", async () => {
      const { call } = await http.createOrganization();
      expect(await call("POST", "/v1/templates", {})).toEqual(invalid("name", "type"));
      for (const type of ["stamp_card", "POINTS", ""]) {
        expect(await call("POST", "/v1/templates", { name: " ", type })).toEqual(invalid("name", "type"));
      }
    });
  });

  test("templates are listed oldest first", async () => {
    const { call, acme } = await http.createOrganization();
    expect(await call("GET", "/v1/templates")).toEqual(ok([]));
    const templates = [];
    for (const name of ["c", "a", "b"]) {
      templates.push(await acme.templates.create({ name, type: "LOYALTY_CARD" }));
    }
    expect(await call("GET", "/v1/templates")).toEqual(ok(templates));
  });

  describe("updating a template", () => {
    test("changes name, maxStamps and updatedAt", async () => {
      const { call, acme } = await http.createOrganization();
      let before = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
      for (const change of [{ name: "Tea" }, { maxStamps: 1 }, { maxStamps: 100, name: "Both" }]) {
        const response = await call("PATCH", `/v1/templates/${before.id}`, change);
        expect(response).toEqual(ok({ ...before, ...change, updatedAt: expect.any(String) }));
        const after = await acme.templates.get(before.id);
        expect(after.updatedAt > before.updatedAt).toBe(true);
        before = after;
      }
    });

    test("without a change leaves it as it was, and ignores the type", async () => {
      const { call, acme } = await http.createOrganization();
      const before = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
      http.clock.move(1_000);
      const sameChange = { name: " Coffee ", maxStamps: 10 };
      for (const change of [{}, sameChange, { type: "LOYALTY_CARD" }, { type: 5, id: null, unknown: [] }]) {
        expect(await call("PATCH", `/v1/templates/${before.id}`, change)).toEqual(ok(before));
      }
    });

    test("refuses the same values as creating one, and null", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
      const patchTemplate = (change: unknown) => call("PATCH", `/v1/templates/${id}`, change);
      expect(await patchTemplate({ name: "", maxStamps: 101 })).toEqual(invalid("name", "maxStamps"));
      expect(await patchTemplate({ maxStamps: 0 })).toEqual(invalid("maxStamps"));
      expect(await patchTemplate({ name: null, maxStamps: null })).toEqual(wrongType("name", "maxStamps"));
    });

    test("can't add stamps to a loyalty card", async () => {
      const { call, acme } = await http.createOrganization();
      const before = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
      const change = { name: "New", maxStamps: 10 };
      expect(await call("PATCH", `/v1/templates/${before.id}`, change)).toEqual(invalid("maxStamps"));
      expect(await call("PATCH", "/v1/templates/tpl_unknown", change)).toEqual(notFound);
      expect(await acme.templates.get(before.id)).toEqual(before);
    });

    test("leaves existing passes with their own maxStamps", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
      const user = await acme.users.create({ email: "ada@example.com" });
      const old = await acme.passes.create(id, { userId: user.id });
      await call("PATCH", `/v1/templates/${id}`, { maxStamps: 3 });
      const young = await acme.passes.create(id, { userId: user.id });
      const addStamps = (passId: string) =>
        call("POST", `/v1/walletpasses/${passId}/stamps/add`, { count: 4 });
      expect(await addStamps(old.id)).toMatchObject(
        ok({ maxStamps: 10, currentStamps: 4, timesCompleted: 0 }),
      );
      expect(await addStamps(young.id)).toMatchObject(
        ok({ maxStamps: 3, currentStamps: 1, timesCompleted: 1 }),
      );
      expect(await call("GET", `/v1/users/${user.id}/passes`)).toMatchObject(
        ok([
          { template: { maxStamps: 3 }, stampProgress: { maxStamps: 10 } },
          { template: { maxStamps: 3 }, stampProgress: { maxStamps: 3 } },
        ]),
      );
    });
  });

  describe("deleting a template", () => {
    test("is refused while it has passes", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
      const user = await acme.users.create({ email: "ada@example.com" });
      const pass = await acme.passes.create(id, { userId: user.id });
      expect(await call("DELETE", `/v1/templates/${id}`)).toEqual(conflict("template_in_use"));
      await acme.passes.delete(pass.id);
      expect(await call("DELETE", `/v1/templates/${id}`)).toEqual(deleted);
    });

    test("removes it", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
      const user = { email: "ada@example.com" };
      expect(await call("DELETE", `/v1/templates/${id}`)).toEqual(deleted);
      expect(await call("DELETE", `/v1/templates/${id}`)).toEqual(notFound);
      expect(await call("GET", `/v1/templates/${id}`)).toEqual(notFound);
      expect(await call("PATCH", `/v1/templates/${id}`, {})).toEqual(notFound);
      expect(await call("POST", `/v1/templates/${id}/walletpasses`, { user })).toEqual(notFound);
      expect(await call("GET", "/v1/templates")).toEqual(ok([]));
    });
  });
});
