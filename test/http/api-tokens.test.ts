import { scopes } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { created, deleted, denied, invalid, notFound, ok, unauthorized, wrongType } from "./answers.js";
import { readText } from "./client.js";
import { testOnEachDatabase } from "./every-mount.js";

testOnEachDatabase((http) => {
  const timestampIn = (after = 0) => new Date(http.clock.now() + after).toISOString();

  describe("an API key", () => {
    test("is returned with its token, which works immediately", async () => {
      const { call, acme } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com" });
      const response = await call("POST", "/v1/api-tokens", {
        name: " Till 7 ",
        scopes: ["user:read", "pass:read"],
      });
      expect(response).toEqual(
        created({
          token: expect.stringMatching(/^\S{32,}$/),
          apiToken: {
            id: expect.stringMatching(/^akt_/),
            object: "api_token",
            name: "Till 7",
            prefix: expect.stringMatching(/^\S+$/),
            scopes: ["user:read", "pass:read"],
            createdAt: timestampIn(),
            lastUsedAt: null,
            expiresAt: null,
            allowedAddresses: null,
            createdBy: expect.stringMatching(/^akt_/),
          },
        }),
      );
      const till = http.createCaller(readText(response, "token"));
      expect(await till.call("GET", `/v1/users/${user.id}`)).toEqual(ok(user));
      expect(await till.call("DELETE", `/v1/users/${user.id}`)).toEqual(denied("user:update"));
    });

    test("shows its token only once, and afterwards only its first characters", async () => {
      const { call } = await http.createOrganization();
      const response = await call("POST", "/v1/api-tokens", { name: "Till", scopes: ["user:read"] });
      const [token, prefix] = [readText(response, "token"), readText(response, "apiToken.prefix")];
      expect(token.startsWith(prefix)).toBe(true);
      expect(prefix.length).toBeLessThanOrEqual(token.length / 3);
      const listedTokens = JSON.stringify(await call("GET", "/v1/api-tokens"));
      expect(listedTokens).toContain(`"${prefix}"`);
      expect(listedTokens).not.toContain(token.slice(prefix.length, prefix.length + 8));
      expect(listedTokens).not.toContain(token.slice(-8));
    });

    test("is listed, oldest first", async () => {
      const { call, acme } = await http.createOrganization();
      const [ownToken] = await acme.apiTokens.list();
      const keys: unknown[] = [];
      for (const name of ["c", "a", "b"]) {
        keys.push((await acme.apiTokens.create({ name, scopes: ["user:read"] })).apiToken);
      }
      const { status, body } = await call("GET", "/v1/api-tokens");
      expect({ status, body }).toEqual(
        ok([{ ...ownToken, lastUsedAt: expect.toBeOneOf([null, timestampIn()]) }, ...keys]),
      );
    });

    test("shows soon after use when it was last used", async () => {
      const { call, createToken } = await http.createOrganization();
      const token = await createToken("user:read");
      http.clock.move(1_000);
      expect(await http.createCaller(token).call("GET", "/v1/contacts")).toMatchObject({ status: 200 });
      await expect
        .poll(async () => (await call("GET", "/v1/api-tokens")).body)
        .toMatchObject([{}, { lastUsedAt: timestampIn() }]);
    });

    test("works until it expires", async () => {
      const { call, acme } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com" });
      const expiresAt = timestampIn(5_000);
      const response = await call("POST", "/v1/api-tokens", {
        name: "Till",
        scopes: ["user:read"],
        expiresAt,
      });
      expect(response).toMatchObject(created({ apiToken: { expiresAt } }));
      const till = http.createCaller(readText(response, "token"));
      http.clock.move(4_999);
      expect(await till.call("GET", `/v1/users/${user.id}`)).toEqual(ok(user));
      http.clock.move(1);
      expect(await till.call("GET", `/v1/users/${user.id}`)).toEqual(unauthorized);
      expect(await call("GET", "/v1/api-tokens")).toMatchObject(ok([{}, { expiresAt }]));
    });

    test("never expires if expiresAt is null", async () => {
      const { call } = await http.createOrganization();
      expect(
        await call("POST", "/v1/api-tokens", { name: "Till", scopes: ["user:read"], expiresAt: null }),
      ).toMatchObject(created({ apiToken: { expiresAt: null } }));
    });

    test("lists what it created, even after it is deleted", async () => {
      const { call } = await http.createOrganization();
      const response = await call("POST", "/v1/api-tokens", {
        name: "Leaked",
        scopes: ["api_token:manage", "user:read"],
      });
      const id = readText(response, "apiToken.id");
      const leakedCaller = http.createCaller(readText(response, "token"));
      const hiddenToken = await leakedCaller.call("POST", "/v1/api-tokens", {
        name: "Hidden",
        scopes: ["user:read"],
      });
      expect(hiddenToken).toMatchObject(created({ apiToken: { createdBy: id } }));
      const empty = { apps: [], grants: [], endedGrantIds: [], webhookEndpointIds: [] };
      const expectedResult = { object: "created_by_token", tokenId: id, ...empty };
      const expected = {
        ...expectedResult,
        apiTokens: [{ id: readText(hiddenToken, "apiToken.id"), name: "Hidden" }],
      };
      expect(await call("GET", `/v1/api-tokens/${id}/created`)).toMatchObject(ok(expected));
      expect(await call("DELETE", `/v1/api-tokens/${id}`)).toEqual(deleted);
      expect(await call("GET", `/v1/api-tokens/${id}/created`)).toMatchObject(ok(expected));
    });

    test("is refused immediately after it is deleted", async () => {
      const { call } = await http.createOrganization();
      const response = await call("POST", "/v1/api-tokens", { name: "Till", scopes: ["user:read"] });
      const [token, id] = [readText(response, "token"), readText(response, "apiToken.id")];
      expect(await http.createCaller(token).call("GET", "/v1/contacts")).toMatchObject({ status: 200 });
      expect(await call("DELETE", `/v1/api-tokens/${id}`)).toEqual(deleted);
      expect(await http.createCaller(token).call("GET", "/v1/contacts")).toEqual(unauthorized);
      expect(await call("DELETE", `/v1/api-tokens/${id}`)).toEqual(notFound);
    });

    test("may delete itself", async () => {
      const { acme, createToken } = await http.createOrganization();
      const { call } = http.createCaller(await createToken("api_token:manage"));
      const id = (await acme.apiTokens.list()).at(-1)?.id;
      expect(await call("DELETE", `/v1/api-tokens/${id}`)).toEqual(deleted);
      expect(await call("GET", "/v1/api-tokens")).toEqual(unauthorized);
    });

    test("is not found by its prefix, its token or its name", async () => {
      const { call } = await http.createOrganization();
      const response = await call("POST", "/v1/api-tokens", { name: "Till", scopes: ["user:read"] });
      for (const id of [
        readText(response, "token"),
        readText(response, "apiToken.prefix"),
        "Till",
        "akt_x",
      ]) {
        expect(await call("DELETE", `/v1/api-tokens/${id}`)).toEqual(notFound);
      }
    });
  });

  describe("the scopes of an API key", () => {
    test("can't exceed those of the key that creates it", async () => {
      const { acme, createToken } = await http.createOrganization();
      const { call } = http.createCaller(await createToken("api_token:manage", "user:read"));
      const before = await acme.apiTokens.list();
      for (const scope of scopes) {
        const response = await call("POST", "/v1/api-tokens", { name: "Till", scopes: ["user:read", scope] });
        if (scope === "api_token:manage" || scope === "user:read")
          expect(response).toMatchObject({ status: 201 });
        else expect(response).toEqual(denied(scope));
      }
      expect((await acme.apiTokens.list()).length).toBe(before.length + 2);
    });

    test("can all be granted by a key that has them all", async () => {
      const { call } = await http.createOrganization();
      expect(await call("POST", "/v1/api-tokens", { name: "All", scopes })).toMatchObject(
        created({ apiToken: { scopes } }),
      );
    });

    test("must be known", async () => {
      const { call } = await http.createOrganization();
      const postToken = (grantedScopes: unknown) =>
        call("POST", "/v1/api-tokens", { name: "Till", scopes: grantedScopes });
      expect(await postToken(["user:read", "user:*"])).toEqual(invalid("scopes.1"));
      expect(await postToken(["USER:READ", "", "*", "all"])).toEqual(
        invalid("scopes.0", "scopes.1", "scopes.2", "scopes.3"),
      );
      expect(await postToken([])).toEqual(invalid("scopes"));
      expect(await postToken(undefined)).toEqual(invalid("scopes"));
      expect(await postToken("user:read")).toEqual(wrongType("scopes"));
      expect(await postToken([5, "x", null])).toEqual(wrongType("scopes.0", "scopes.2"));
    });

    test("are compared with the caller's only after the other fields are validated", async () => {
      const { createToken } = await http.createOrganization();
      const { call } = http.createCaller(await createToken("api_token:manage"));
      expect(await call("POST", "/v1/api-tokens", { name: " ", scopes: ["user:read"] })).toEqual(
        invalid("name"),
      );
    });
  });

  describe("the fields of an API key", () => {
    test("are a name and an expiry in the future", async () => {
      const { call } = await http.createOrganization();
      const input = { name: "Till", scopes: ["user:read"] };
      const wrong = [
        timestampIn(),
        timestampIn(-1),
        "1999-01-01T00:00:00.000Z",
        "tomorrow",
        "",
        "2999",
        "2999-13-01T00:00:00Z",
      ];
      for (const expiresAt of wrong) {
        expect(await call("POST", "/v1/api-tokens", { ...input, expiresAt })).toEqual(invalid("expiresAt"));
      }
      expect(await call("POST", "/v1/api-tokens", { ...input, expiresAt: 4_000_000_000 })).toEqual(
        wrongType("expiresAt"),
      );
      expect(await call("POST", "/v1/api-tokens", {})).toEqual(invalid("name", "scopes"));
    });
  });
});
