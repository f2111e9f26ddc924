import { describe, expect, test } from "vitest";
import { denied, ok, unauthorized } from "./answers.js";
import { testOnEveryMount } from "./every-mount.js";
import { buildHead, exchangeBytes, parseResponse } from "./raw-socket.js";

testOnEveryMount(
  (http) => {
    const readChallenge = async (headers: Record<string, string>, path = "/v1/templates") => {
      const { headers: responseHeaders, ...response } = await http
        .client(null)
        .send("GET", path, { headers });
      expect(response).toEqual(unauthorized);
      return responseHeaders.get("www-authenticate");
    };

    describe("a request without a token", () => {
      test("is told which scheme to use", async () => {
        expect(await readChallenge({})).toBe("Bearer");
      });

      test("can't send the token in its query instead", async () => {
        const { token } = await http.createOrganization();
        for (const name of ["access_token", "token", "authorization"]) {
          expect(await readChallenge({}, `/v1/templates?${name}=${token}`)).toBe("Bearer");
        }
      });

      test("can't send the token in another header instead", async () => {
        const { token } = await http.createOrganization();
        expect(await readChallenge({ "x-authorization": `Bearer ${token}`, cookie: `token=${token}` })).toBe(
          "Bearer",
        );
      });
    });

    describe("a request with a wrong token", () => {
      test("is told that the token is invalid", async () => {
        const { token } = await http.createOrganization();
        for (const wrong of [
          ...["x", "lk_", token.slice(0, -1), `${token}x`, token.toUpperCase(), `x${token}`],
          ...["a".repeat(8_000), "null", "undefined", "..", "é"],
        ]) {
          const challenge = await readChallenge({ authorization: `Bearer ${wrong}` });
          expect(challenge, wrong).toBe('Bearer error="invalid_token"');
        }
      });

      test("is refused under any other scheme", async () => {
        const { token } = await http.createOrganization();
        for (const authorization of [
          ...[
            `Basic ${token}`,
            token,
            `Token ${token}`,
            `Bearer${token}`,
            `Bearer:${token}`,
            "Bearer",
            "Basic",
          ],
          ...[`Bearer ${token} x`, `Bearer ${token},Bearer ${token}`, `Bearer ${token}, Bearer ${token}`],
          ...[`Basic x, Bearer ${token}`, `Bearer "${token}"`, `Bearer=${token}`],
        ]) {
          expect(await readChallenge({ authorization }), authorization).toMatch(/^Bearer\b/);
        }
      });
    });

    test("the scheme's name may be in any case", async () => {
      const { token } = await http.createOrganization();
      for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
        const headers = { authorization: `${scheme} ${token}` };
        expect(await http.client(null).send("GET", "/v1/templates", { headers })).toMatchObject(ok([]));
      }
    });

    test("scopes are compared exactly", async () => {
      const { createToken } = await http.createOrganization();
      const { call } = http.createCaller(
        await createToken("user:read", "user:update", "user_tag:write", "pass:update"),
      );
      expect(await call("POST", "/v1/users", { email: "ada@example.com" })).toEqual(denied("user:create"));
      expect(await call("GET", "/v1/user-tags")).toEqual(denied("user_tag:read"));
      expect(await call("GET", "/v1/users")).toEqual(ok([]));
      expect(await call("GET", "/v1/walletpasses/x")).toEqual(denied("pass:read"));
    });

    test("a response to a token without the scope challenges for the scope", async () => {
      const { createToken } = await http.createOrganization();
      const { send } = http.client(await createToken("user:read"));
      const { headers } = await send("GET", "/v1/user-tags");
      expect(headers.get("www-authenticate")).toBe(
        'Bearer error="insufficient_scope", scope="user_tag:read"',
      );
    });

    if (!http.mount.hasSocket) {
      test("a token of 1 MB is refused", async () => {
        const challenge = await readChallenge({ authorization: `Bearer ${"x".repeat(1_000_000)}` });
        expect(challenge).toBe('Bearer error="invalid_token"');
      });
      return;
    }

    test("more than one Authorization header is refused, even with the same token", async () => {
      const { token } = await http.createOrganization();
      const path = `${http.mount.prefix}/v1/templates`;
      const bearer = `Authorization: Bearer ${token}`;
      for (const headers of [
        [bearer, bearer],
        [bearer, `authorization: bearer ${token}`],
        ["Authorization: Bearer x", bearer],
        [bearer, "Authorization: Bearer x"],
        [bearer, "Authorization: "],
      ]) {
        const response = parseResponse(await exchangeBytes(http.port, buildHead({ path, headers })));
        expect(response, headers.join()).toMatchObject(unauthorized);
        expect(response.head.toLowerCase()).toContain("\r\nwww-authenticate: bearer");
        http.document.assertPromised("GET", "/v1/templates", response.status, response.body);
      }
      expect(
        parseResponse(await exchangeBytes(http.port, buildHead({ path, headers: [bearer] }))),
      ).toMatchObject(ok([]));
    });
    // Some of these tokens contain characters that a bearer token can't have, which the API reports to the logger.
  },
  { provokesErrors: true },
);
