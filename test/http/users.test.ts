import { describe, expect, test } from "vitest";
import { created, deleted, invalid, notFound, ok, taken } from "./answers.js";
import { readText } from "./client.js";
import { testOnEachDatabase } from "./every-mount.js";

const local = "a".repeat(64);
const label = "b".repeat(63);
/** An email address of the maximum length. */
const longestEmail = `${local}@${label}.${label}.${"d".repeat(57)}.com`;

testOnEachDatabase((http) => {
  describe("a user", () => {
    test("needs only an email, and its absent fields are null", async () => {
      const { call } = await http.createOrganization();
      const now = new Date(http.clock.now()).toISOString();
      const response = await call("POST", "/v1/users", { email: "Ada@Example.com" });
      expect(response).toEqual(
        created({
          id: expect.stringMatching(/^usr_/),
          object: "user",
          email: "Ada@Example.com",
          name: null,
          phone: null,
          externalId: null,
          metadata: {},
          createdAt: now,
          updatedAt: now,
        }),
      );
      expect(await call("GET", `/v1/users/${readText(response, "id")}`)).toEqual(ok(response.body));
    });

    test("is stored as sent, except for a trimmed name", async () => {
      const { call } = await http.createOrganization();
      const input = {
        email: "O'Hara+loyal@Sub.Example.COM",
        name: "  Ada Lovelace ",
        phone: " +44 20 ",
        externalId: " Ä/b%20 ",
        metadata: { since: 1843, "": [null, { deep: true }], text: "e\u0301 \uffff 😀" },
      };
      const response = await call("POST", "/v1/users", input);
      expect(response).toMatchObject(created({ ...input, name: "Ada Lovelace" }));
      const path = `/v1/users/${encodeURIComponent(input.externalId)}`;
      expect(await call("GET", path)).toEqual(ok(response.body));
    });

    test("may have null for name, phone and externalId", async () => {
      const { call } = await http.createOrganization();
      const absent = { name: null, phone: null, externalId: null };
      expect(await call("POST", "/v1/users", { email: "ada@example.com", ...absent })).toMatchObject(
        created({ ...absent, metadata: {} }),
      );
    });

    test("requires an email", async () => {
      const { call } = await http.createOrganization();
      expect(await call("POST", "/v1/users", {})).toEqual(invalid("email"));
      expect(await call("POST", "/v1/users", { name: "Ada" })).toEqual(invalid("email"));
    });

    test.each([
      ...["", " ", "ada", "ada@", "@example.com", "ada@example", "ada@@example.com", "ada@exa mple.com"],
      ...[" ada@example.com", "ada@example.com ", "ädä@example.com", "ada@example..com", "a,b@example.com"],
      ...[
        "ada@-example.com",
        `${"a".repeat(65)}@example.com`,
        ".ada@example.com",
        "ada@example.com\n",
        "Ada <ada@example.com>",
      ],
    ])("can't have the email %j", async (email) => {
      const { call, acme } = await http.createOrganization();
      expect(await call("POST", "/v1/users", { email })).toEqual(invalid("email"));
      const { id } = await acme.users.create({ email: "ada@example.com" });
      expect(await call("PATCH", `/v1/users/${id}`, { email })).toEqual(invalid("email"));
    });

    test("has an email of at most 254 characters", async () => {
      const { call } = await http.createOrganization();
      expect(longestEmail.length).toBe(254);
      expect(await call("POST", "/v1/users", { email: longestEmail })).toMatchObject(
        created({ email: longestEmail }),
      );
      const email = longestEmail.replace(".com", "d.com");
      expect(await call("POST", "/v1/users", { email })).toEqual(invalid("email"));
    });

    test.each(["name", "phone", "externalId"])("can't have a blank %s", async (field) => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.users.create({ email: "bob@example.com" });
      for (const blank of ["", "  ", "\t\n", "\u00a0"]) {
        expect(await call("POST", "/v1/users", { email: "ada@example.com", [field]: blank })).toEqual(
          invalid(field),
        );
        expect(await call("PATCH", `/v1/users/${id}`, { [field]: blank })).toEqual(invalid(field));
      }
    });

    test("can't have an external id in the form of a service id", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.users.create({ email: "bob@example.com" });
      const externalId = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
      for (const shapedId of [id, externalId]) {
        const input = { email: "ada@example.com", externalId: shapedId };
        expect(await call("POST", "/v1/users", input)).toEqual(invalid("externalId"));
        expect(await call("PATCH", `/v1/users/${id}`, { externalId: shapedId })).toEqual(
          invalid("externalId"),
        );
      }
      for (const other of ["usr_1", id.slice(0, -1), `${id}0`, `x${id}`]) {
        expect(await call("PATCH", `/v1/users/${id}`, { externalId: other })).toMatchObject(
          ok({ externalId: other }),
        );
      }
    });

    test("is refused for all its wrong fields in one response", async () => {
      const { call } = await http.createOrganization();
      const invalidInput = {
        email: "x",
        name: " ",
        phone: "",
        externalId: "x".repeat(101),
        metadata: { a: "\0" },
      };
      expect(await call("POST", "/v1/users", invalidInput)).toEqual(invalid(...Object.keys(invalidInput)));
    });

    test("ignores unknown fields, including the server's own", async () => {
      const { call } = await http.createOrganization();
      const readOnlyFields = { id: "usr_1", object: 5, createdAt: null, updatedAt: "never", tags: ["vip"] };
      const response = await call("POST", "/v1/users", { email: "ada@example.com", ...readOnlyFields });
      expect(response).toMatchObject({ status: 201, body: { object: "user" } });
      expect(readText(response, "id")).not.toBe("usr_1");
    });

    test("is found by its service id and by its external id", async () => {
      const { call, acme } = await http.createOrganization();
      const externalIds = ["c-1", "a/b", "%2F", "ä 😀?#&", "+", "a;b=c", "e\u0301", ":id", "*", "'\"\\"];
      for (const [at, externalId] of externalIds.entries()) {
        const user = await acme.users.create({ email: `u${at}@example.com`, externalId });
        expect(await call("GET", `/v1/users/${encodeURIComponent(externalId)}`)).toEqual(ok(user));
        expect(await call("GET", `/v1/users/${user.id}`)).toEqual(ok(user));
      }
    });

    test("is not found by an unknown id, in any path", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.users.create({ email: "ada@example.com", externalId: "C-1" });
      for (const unknown of ["nobody", "c-1", "ada@example.com", id.toUpperCase(), `${id}%20`]) {
        expect(await call("GET", `/v1/users/${unknown}`)).toEqual(notFound);
        expect(await call("PATCH", `/v1/users/${unknown}`, {})).toEqual(notFound);
        expect(await call("DELETE", `/v1/users/${unknown}`)).toEqual(notFound);
        expect(await call("GET", `/v1/users/${unknown}/tags`)).toEqual(notFound);
        expect(await call("GET", `/v1/users/${unknown}/passes`)).toEqual(notFound);
      }
    });
  });

  describe("two users", () => {
    test("can't share an email, whatever its spelling", async () => {
      const { call, acme } = await http.createOrganization();
      await acme.users.create({ email: "ada@exämple.com" });
      for (const email of ["ada@exämple.com", "ADA@EXÄMPLE.COM", "ada@exa\u0308mple.com"]) {
        expect(await call("POST", "/v1/users", { email })).toEqual(taken({ email }));
      }
      expect(await call("POST", "/v1/users", { email: "ada@example.com" })).toMatchObject({ status: 201 });
    });

    test("can't share an external id, which is compared exactly", async () => {
      const { call, acme } = await http.createOrganization();
      await acme.users.create({ email: "ada@example.com", externalId: "é-1" });
      const externalId = "é-1";
      expect(await call("POST", "/v1/users", { email: "b@example.com", externalId })).toEqual(
        taken({ externalId }),
      );
      for (const [at, other] of ["É-1", "e\u0301-1", "é-1 "].entries()) {
        const input = { email: `u${at}@example.com`, externalId: other };
        expect(await call("POST", "/v1/users", input)).toMatchObject(created(input));
      }
    });

    test("can conflict in both fields, which one response reports", async () => {
      const { call, acme } = await http.createOrganization();
      await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
      await acme.users.create({ email: "bob@example.com", externalId: "c-2" });
      const { id } = await acme.users.create({ email: "cid@example.com" });
      const [firstUser, conflictingUser] = [
        { email: "ADA@example.com", externalId: "c-1" },
        { email: "Ada@example.com", externalId: "c-2" },
      ];
      for (const input of [firstUser, conflictingUser]) {
        expect(await call("POST", "/v1/users", input)).toEqual(taken(input));
        expect(await call("PATCH", `/v1/users/${id}`, input)).toEqual(taken(input));
      }
    });

    test("can't be created with the same values at the same time: one succeeds, the others conflict", async () => {
      const { call } = await http.createOrganization();
      const input = { email: "ada@example.com", externalId: "c-1" };
      const responses = await Promise.all(Array.from({ length: 5 }, () => call("POST", "/v1/users", input)));
      expect(responses.filter(({ status }) => status === 201).length).toBe(1);
      for (const response of responses) if (response.status !== 201) expect(response).toEqual(taken(input));
    });

    test("of different organizations may share both", async () => {
      const input = { email: "ada@example.com", externalId: "c-1" };
      for (const { call } of [await http.createOrganization(), await http.createOrganization()]) {
        expect(await call("POST", "/v1/users", input)).toMatchObject(created(input));
      }
    });
  });

  describe("updating a user", () => {
    test("changes the given fields and updatedAt", async () => {
      const { call, acme } = await http.createOrganization();
      let before = await acme.users.create({ email: "ada@example.com", name: "Ada", metadata: { a: 1 } });
      for (const change of [
        { email: "Ada@Example.com" },
        { name: "Ada L." },
        { phone: "+44" },
        { externalId: "c-1" },
        { metadata: { b: 2 } },
        { metadata: { b: 2, a: 1 } },
        { metadata: {} },
        { name: "A", phone: "1" },
      ]) {
        const response = await call("PATCH", `/v1/users/${before.id}`, change);
        expect(response).toEqual(ok({ ...before, ...change, updatedAt: expect.any(String) }));
        const after = await acme.users.get(before.id);
        expect(after.updatedAt > before.updatedAt).toBe(true);
        before = after;
      }
      expect(await call("GET", "/v1/users/c-1")).toEqual(ok(before));
    });

    test("without a change leaves it as it was", async () => {
      const { call, acme } = await http.createOrganization();
      const {
        object: _,
        createdAt: __,
        updatedAt: ___,
        id,
        ...same
      } = await acme.users.create({
        email: "ada@example.com",
        name: "Ada",
        phone: "1",
        externalId: "c-1",
        metadata: { a: { b: [1] } },
      });
      const before = await acme.users.get(id);
      http.clock.move(1_000);
      const ignoredFields = { id: "usr_1", createdAt: 5, updatedAt: null, object: [], unknown: {} };
      for (const change of [{}, same, ignoredFields, { name: " Ada " }]) {
        expect(await call("PATCH", "/v1/users/c-1", change)).toEqual(ok(before));
      }
    });

    test("clears name, phone and externalId with null", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.users.create({
        email: "ada@example.com",
        name: "Ada",
        phone: "1",
        externalId: "c-1",
      });
      const clearedFields = { name: null, phone: null, externalId: null };
      expect(await call("PATCH", "/v1/users/c-1", clearedFields)).toMatchObject(ok({ id, ...clearedFields }));
      expect(await call("GET", "/v1/users/c-1")).toEqual(notFound);
      expect(await call("POST", "/v1/users", { email: "b@example.com", externalId: "c-1" })).toMatchObject({
        status: 201,
      });
    });

    test("that is refused changes nothing", async () => {
      const { call, acme } = await http.createOrganization();
      await acme.users.create({ email: "bob@example.com", externalId: "c-2" });
      const before = await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
      const conflictingInput = { name: "New", email: "BOB@example.com" };
      expect(await call("PATCH", "/v1/users/c-1", conflictingInput)).toEqual(
        taken({ email: "BOB@example.com" }),
      );
      expect(await call("PATCH", "/v1/users/c-1", { name: "New", externalId: "c-2" })).toEqual(
        taken({ externalId: "c-2" }),
      );
      expect(await call("PATCH", "/v1/users/c-1", { name: "New", phone: " " })).toEqual(invalid("phone"));
      expect(await call("GET", "/v1/users/c-1")).toEqual(ok(before));
    });
  });

  describe("deleting a user", () => {
    test("removes it with its tags, passes and stamps", async () => {
      const { call, acme } = await http.createOrganization();
      const { id } = await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
      const template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
      const pass = await acme.passes.create(template.id, { userId: id });
      await acme.stamps.add(pass.id, { count: 2 });
      await acme.tags.create({ name: "VIP" });
      await acme.tags.assign(id, "vip");

      expect(await call("DELETE", "/v1/users/c-1")).toEqual(deleted);

      for (const path of [
        ...[`/v1/users/${id}`, "/v1/users/c-1", `/v1/users/${id}/passes`, `/v1/users/${id}/tags`],
        ...[`/v1/walletpasses/${pass.id}`, `/v1/templates/${template.id}/walletpasses/${pass.id}`],
        ...[`/v1/walletpasses/${pass.id}/stamps`, `/v1/walletpasses/${pass.id}/stamps/history`],
        `/v1/walletpasses/lookup?qrCodeValue=${encodeURIComponent(pass.qrCodeValue)}`,
      ]) {
        expect(await call("GET", path)).toEqual(notFound);
      }
      expect(await call("GET", "/v1/user-tags/vip/users")).toEqual(ok([]));
      expect(await call("GET", "/v1/users")).toEqual(ok([]));
      expect(await call("GET", "/v1/contacts")).toMatchObject(ok({ content: [], totalElements: 0 }));
      const filter = { operator: "NOT", conditions: [{ slug: "none" }] };
      expect(await call("POST", "/v1/user-tags/query", { filter })).toMatchObject(ok({ totalElements: 0 }));
    });

    test("works by either id, once, and frees the email and the external id", async () => {
      const { call, acme } = await http.createOrganization();
      const input = { email: "ada@example.com", externalId: "c-1" };
      const { id } = await acme.users.create(input);
      expect(await call("DELETE", `/v1/users/${id}`)).toEqual(deleted);
      expect(await call("DELETE", `/v1/users/${id}`)).toEqual(notFound);
      expect(await call("POST", "/v1/users", input)).toMatchObject(created(input));
      expect(await call("DELETE", "/v1/users/c-1")).toEqual(deleted);
    });
  });

  test("users are listed oldest first", async () => {
    const { call, acme } = await http.createOrganization();
    expect(await call("GET", "/v1/users")).toEqual(ok([]));
    const users = [];
    for (const name of ["c", "a", "b"]) {
      users.push(await acme.users.create({ email: `${name}@example.com`, name, metadata: { name } }));
    }
    http.clock.move(5);
    users.push(await acme.users.create({ email: "0@example.com" }));
    expect(await call("GET", "/v1/users?page=1&size=1&search=zzz")).toEqual(ok(users));
  });
});
