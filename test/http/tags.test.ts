import { describe, expect, test } from "vitest";
import { conflict, created, deleted, invalid, notFound, ok } from "./answers.js";
import { readText } from "./client.js";
import { testOnEachDatabase } from "./every-mount.js";

testOnEachDatabase((http) => {
  describe("a tag", () => {
    test("is created with a slug from its name, without a description and in the default color", async () => {
      const { call } = await http.createOrganization();
      const response = await call("POST", "/v1/user-tags", { name: "Gold Members" });
      expect(response).toEqual(
        created({
          id: expect.stringMatching(/^utag_/),
          object: "UserTag",
          name: "Gold Members",
          slug: "gold-members",
          description: null,
          color: "#64748B",
          createdAt: new Date(http.clock.now()).toISOString(),
          updatedAt: new Date(http.clock.now()).toISOString(),
        }),
      );
      expect(await call("GET", "/v1/user-tags/gold-members")).toEqual(ok(response.body));
    });

    test("accepts a description and a color, which is stored in upper case", async () => {
      const { call } = await http.createOrganization();
      const input = { name: "VIP", description: " Best of all ", color: "#aBcDef" };
      const response = await call("POST", "/v1/user-tags", input);
      expect(response).toMatchObject(created({ ...input, color: "#ABCDEF" }));
    });

    test("has no description if null is sent for it", async () => {
      const { call } = await http.createOrganization();
      const response = await call("POST", "/v1/user-tags", { name: "VIP", description: null });
      expect(response).toMatchObject(created({ description: null }));
    });

    test("is created with its name trimmed", async () => {
      const { call } = await http.createOrganization();
      const response = await call("POST", "/v1/user-tags", { name: " \t VIP \n" });
      expect(response).toMatchObject(created({ name: "VIP", slug: "vip" }));
    });

    test.each([
      ["Crème Brûlée", "creme-brulee"],
      ["--A__b  C!--", "a-b-c"],
      ["Привет", "privet"],
      ["10% off", "10-off"],
      ["x".repeat(100), "x".repeat(100)],
    ])("with the name %s has the slug %s", async (name, slug) => {
      const { call } = await http.createOrganization();
      expect(await call("POST", "/v1/user-tags", { name })).toMatchObject(created({ name, slug }));
    });

    test("has a slug of at most 100 characters that doesn't end in a hyphen", async () => {
      const { call } = await http.createOrganization();
      for (const name of ["щ".repeat(100), `${"щ".repeat(24)}abc щ`]) {
        const slug = readText(await call("POST", "/v1/user-tags", { name }), "slug");
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(100);
      }
    });

    test.each(["!!!", "", "   ", "😀"])("can't have the name %j", async (name) => {
      const { call } = await http.createOrganization();
      expect(await call("POST", "/v1/user-tags", { name })).toEqual(invalid("name"));
    });

    test.each(["#abc", "red", "#12345g", "123456", "#1234567", "", "#12345\n"])(
      "can't have the color %j",
      async (color) => {
        const { call, acme } = await http.createOrganization();
        expect(await call("POST", "/v1/user-tags", { name: "VIP", color })).toEqual(invalid("color"));
        await acme.tags.create({ name: "VIP" });
        expect(await call("PUT", "/v1/user-tags/vip", { color })).toEqual(invalid("color"));
      },
    );

    test("requires a name", async () => {
      const { call } = await http.createOrganization();
      expect(await call("POST", "/v1/user-tags", {})).toEqual(invalid("name"));
      expect(await call("POST", "/v1/user-tags", { name: null })).toEqual(invalid("name"));
    });

    test("conflicts with another tag of the same slug, until that is deleted", async () => {
      const { call } = await http.createOrganization();
      const { body } = await call("POST", "/v1/user-tags", { name: "V.I.P." });
      expect(await call("POST", "/v1/user-tags", { name: "v i p" })).toEqual(
        conflict("user_tag_already_exists", "v-i-p"),
      );
      expect(await call("GET", "/v1/user-tags")).toEqual(ok([body]));
      expect(await call("DELETE", "/v1/user-tags/v-i-p")).toEqual(deleted);
      expect(await call("POST", "/v1/user-tags", { name: "v i p" })).toMatchObject({ status: 201 });
    });

    test("is not found by an unknown slug", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.tags.create({ name: "VIP" });
      for (const slug of ["nobody", "VIP", id, "vip%20"]) {
        expect(await call("GET", `/v1/user-tags/${slug}`)).toEqual(notFound);
        expect(await call("PUT", `/v1/user-tags/${slug}`, {})).toEqual(notFound);
        expect(await call("DELETE", `/v1/user-tags/${slug}`)).toEqual(notFound);
        expect(await call("GET", `/v1/user-tags/${slug}/users`)).toEqual(notFound);
      }
    });

    test("may have the slug of a fixed path", async () => {
      const { call, acme } = await http.createOrganization();
      const tag = await acme.tags.create({ name: "Query" });
      expect(await call("GET", "/v1/user-tags/query")).toEqual(ok(tag));
      expect(await call("PUT", "/v1/user-tags/query", {})).toEqual(ok(tag));
      expect(await call("GET", "/v1/user-tags/query/users")).toEqual(ok([]));
      expect(await call("DELETE", "/v1/user-tags/query")).toEqual(deleted);
    });
  });

  test("tags are listed oldest first", async () => {
    const { call, acme } = await http.createOrganization();
    expect(await call("GET", "/v1/user-tags")).toEqual(ok([]));
    const tags = [];
    for (const name of ["c", "a", "b"]) tags.push(await acme.tags.create({ name }));
    http.clock.move(5);
    tags.push(await acme.tags.create({ name: "A2" }));
    expect(await call("GET", "/v1/user-tags")).toEqual(ok(tags));
  });

  describe("updating a tag", () => {
    test("changes the given fields and updatedAt", async () => {
      const { call, acme } = await http.createOrganization();
      const tag = await acme.tags.create({ name: "VIP", description: "Old", color: "#000000" });
      let before = tag;
      for (const change of [{ name: "Best" }, { description: "New" }, { color: "#00FF00" }]) {
        const response = await call("PUT", "/v1/user-tags/vip", change);
        expect(response).toEqual(ok({ ...before, ...change, updatedAt: expect.any(String) }));
        const after = await acme.tags.get("vip");
        expect(after.updatedAt > before.updatedAt).toBe(true);
        before = after;
      }
      expect(await call("GET", "/v1/user-tags/vip")).toEqual(ok(before));
    });

    test("without a change leaves it as it was", async () => {
      const { call, acme } = await http.createOrganization();
      const tag = await acme.tags.create({ name: "VIP", description: "Old", color: "#aaaaaa" });
      http.clock.move(1_000);
      const sameChange = { name: " VIP ", description: "Old", color: "#AAAAAA" };
      for (const change of [{}, sameChange, { unknown: 1, slug: "other", id: 5 }]) {
        expect(await call("PUT", "/v1/user-tags/vip", change)).toEqual(ok(tag));
      }
    });

    test("clears the description with null", async () => {
      const { call, acme } = await http.createOrganization();
      await acme.tags.create({ name: "VIP", description: "Old" });
      const response = await call("PUT", "/v1/user-tags/vip", { description: null });
      expect(response).toMatchObject(ok({ description: null, name: "VIP" }));
    });

    test("may set a name that gives no slug, or the name of another tag", async () => {
      const { call, acme } = await http.createOrganization();
      await acme.tags.create({ name: "VIP" });
      await acme.tags.create({ name: "Gold" });
      expect(await call("PUT", "/v1/user-tags/vip", { name: "!!!" })).toMatchObject(
        ok({ name: "!!!", slug: "vip" }),
      );
      expect(await call("PUT", "/v1/user-tags/vip", { name: "Gold" })).toMatchObject(
        ok({ name: "Gold", slug: "vip" }),
      );
    });

    test("refuses a blank name, and changes nothing", async () => {
      const { call, acme } = await http.createOrganization();
      const tag = await acme.tags.create({ name: "VIP" });
      const response = await call("PUT", "/v1/user-tags/vip", { name: " ", description: "New" });
      expect(response).toEqual(invalid("name"));
      expect(await acme.tags.get("vip")).toEqual(tag);
    });
  });

  describe("assigning a tag", () => {
    test("returns the assignment, and changes nothing else", async () => {
      const { call, acme } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com" });
      const tag = await acme.tags.create({ name: "VIP" });
      http.clock.move(10);
      const now = new Date(http.clock.now()).toISOString();
      expect(await call("POST", `/v1/users/${user.id}/tags/vip`)).toEqual(
        created({
          id: expect.stringMatching(/^uta_/),
          object: "UserTagAssignment",
          userTag: tag,
          createdAt: now,
          updatedAt: now,
        }),
      );
      expect(await call("GET", `/v1/users/${user.id}`)).toEqual(ok(user));
      expect(await call("GET", "/v1/user-tags/vip")).toEqual(ok(tag));
    });

    test("is a conflict if the user already has it", async () => {
      const { call, acme } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
      const tag = await acme.tags.create({ name: "VIP" });
      expect(await call("POST", `/v1/users/${user.id}/tags/vip`)).toMatchObject({ status: 201 });
      for (const id of [user.id, "c-1"]) {
        expect(await call("POST", `/v1/users/${id}/tags/vip`)).toEqual(
          conflict("user_tag_already_assigned", "vip"),
        );
      }
      expect(await call("GET", "/v1/users/c-1/tags")).toEqual(ok([tag]));
    });

    test("succeeds once when attempted several times at the same time", async () => {
      const { call, acme } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com" });
      await acme.tags.create({ name: "VIP" });
      const assignTag = () => call("POST", `/v1/users/${user.id}/tags/vip`);
      const responses = await Promise.all(Array.from({ length: 5 }, assignTag));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    });

    test("requires an existing user and an existing tag", async () => {
      const { call, acme } = await http.createOrganization();
      await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
      await acme.tags.create({ name: "VIP" });
      for (const method of ["POST", "DELETE"]) {
        expect(await call(method, "/v1/users/c-2/tags/vip")).toEqual(notFound);
        expect(await call(method, "/v1/users/c-1/tags/gold")).toEqual(notFound);
      }
      expect(await call("GET", "/v1/users/c-2/tags")).toEqual(notFound);
    });

    test("can be undone, once", async () => {
      const { call, acme } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
      await acme.tags.create({ name: "VIP" });
      await acme.tags.assign(user.id, "vip");
      expect(await call("DELETE", "/v1/users/c-1/tags/vip")).toEqual(deleted);
      expect(await call("DELETE", `/v1/users/${user.id}/tags/vip`)).toEqual(notFound);
      expect(await call("GET", `/v1/users/${user.id}/tags`)).toEqual(ok([]));
      expect(await call("POST", "/v1/users/c-1/tags/vip")).toMatchObject({ status: 201 });
    });
  });

  test("a user's tags are listed oldest assignment first", async () => {
    const { call, acme } = await http.createOrganization();
    const user = await acme.users.create({ email: "ada@example.com" });
    const [a, b, c] = [
      await acme.tags.create({ name: "a" }),
      await acme.tags.create({ name: "b" }),
      await acme.tags.create({ name: "c" }),
    ];
    for (const { slug } of [c, a, b]) await acme.tags.assign(user.id, slug);
    expect(await call("GET", `/v1/users/${user.id}/tags`)).toEqual(ok([c, a, b]));
  });

  test("a tag's users are listed oldest user first", async () => {
    const { call, acme } = await http.createOrganization();
    await acme.tags.create({ name: "VIP" });
    expect(await call("GET", "/v1/user-tags/vip/users")).toEqual(ok([]));
    const users = [];
    for (const name of ["c", "a", "b"]) {
      users.push(await acme.users.create({ email: `${name}@example.com`, metadata: { name } }));
    }
    await acme.users.create({ email: "other@example.com" });
    for (const { id } of users.toReversed()) await acme.tags.assign(id, "vip");
    expect(await call("GET", "/v1/user-tags/vip/users")).toEqual(ok(users));
  });

  test("a deleted tag disappears everywhere immediately", async () => {
    const { call, acme } = await http.createOrganization();
    const user = await acme.users.create({ email: "ada@example.com" });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.assign(user.id, "vip");
    expect(await call("DELETE", "/v1/user-tags/vip")).toEqual(deleted);
    expect(await call("GET", "/v1/user-tags")).toEqual(ok([]));
    expect(await call("GET", `/v1/users/${user.id}/tags`)).toEqual(ok([]));
    expect(await call("DELETE", `/v1/users/${user.id}/tags/vip`)).toEqual(notFound);
    const filter = { operator: "OR", conditions: [{ slug: "vip" }] };
    expect(await call("POST", "/v1/user-tags/query", { filter })).toMatchObject(ok({ totalElements: 0 }));
    await acme.tags.create({ name: "VIP" });
    expect(await call("GET", "/v1/user-tags/vip/users")).toEqual(ok([]));
  });
});
