import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { type JwtOptions, jwtTokens } from "loyalty-kit/auth";
import { createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";

const clock = new ManualClock();
const issuer = "https://login.example";
const audience = "https://loyalty.example";
const nowInSeconds = () => Math.floor(clock.now / 1_000);
const validClaims = (): JWTPayload => ({
  iss: issuer,
  aud: audience,
  exp: nowInSeconds() + 60,
  org: "acme",
  scope: "user:read pass:read",
});

type Pair = Awaited<ReturnType<typeof createKeyPair>>;

async function createKeyPair(alg: string, kid = alg) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg };
  return { alg, kid, privateKey, jwk };
}

const es256 = await createKeyPair("ES256");

function signClaims(claims: JWTPayload, { alg, kid, privateKey }: Pair = es256): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey);
}

/** Signs a valid token of this type. */
function signWithType(typ: string | undefined): Promise<string> {
  const { alg, kid, privateKey } = es256;
  const header = { alg, kid, ...(typ !== undefined && { typ }) };
  return new SignJWT(validClaims()).setProtectedHeader(header).sign(privateKey);
}

function createVerifier(jwks: JwtOptions["jwks"] = { keys: [es256.jwk] }, more: Partial<JwtOptions> = {}) {
  return jwtTokens({
    issuer,
    audience,
    jwks,
    organizationOf: ({ org }) => (typeof org === "string" ? org : null),
    scopesOf: ({ scope }) => (typeof scope === "string" ? scope.split(" ") : null),
    clock: clock.read,
    ...more,
  });
}

const principal = { organizationId: "acme", scopes: ["user:read", "pass:read"] };

describe("a JWT", () => {
  it.each(["RS256", "PS384", "ES256", "ES512", "EdDSA", "Ed25519"])(
    "signed with %s is valid",
    async (alg) => {
      const pair = await createKeyPair(alg);
      expect(await createVerifier({ keys: [pair.jwk] })(await signClaims(validClaims(), pair))).toEqual(
        principal,
      );
    },
  );

  it.each([undefined, "JWT", "at+jwt", "application/at+jwt", "AT+JWT"])(
    "may have the type %s",
    async (typ) => {
      expect(await createVerifier()(await signWithType(typ))).toEqual(principal);
    },
  );

  it.each(["logout+jwt", "dpop+jwt", "id_token", ""])("for another purpose, %j, is refused", async (typ) => {
    expect(await createVerifier()(await signWithType(typ))).toBeNull();
  });

  it("must have the required type", async () => {
    const verify = createVerifier({ keys: [es256.jwk] }, { type: "at+jwt" });
    expect(await verify(await signWithType("application/at+jwt"))).toEqual(principal);
    expect(await verify(await signWithType("JWT"))).toBeNull();
    expect(await verify(await signWithType(undefined))).toBeNull();
  });

  it("grants the known ones of its scopes, in the organization of its claims", async () => {
    const verify = createVerifier();
    const token = await signClaims({
      ...validClaims(),
      scope: "user:read user:* openid USER:READ toString",
      org: "globex",
    });
    expect(await verify(token)).toEqual({ organizationId: "globex", scopes: ["user:read"] });
  });

  it("may have several audiences", async () => {
    expect(await createVerifier()(await signClaims({ ...validClaims(), aud: ["x", audience] }))).toEqual(
      principal,
    );
  });

  it("is valid from its nbf until its exp, by the given clock", async () => {
    const verify = createVerifier();
    const token = await signClaims({ ...validClaims(), nbf: nowInSeconds() + 10, exp: nowInSeconds() + 20 });
    const isValidAfter = async (ms: number) => {
      clock.move(ms);
      return (await verify(token)) !== null;
    };
    expect([
      await isValidAfter(9_000),
      await isValidAfter(1_000),
      await isValidAfter(9_000),
      await isValidAfter(1_000),
    ]).toEqual([...[false, true, true, false]]);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["another issuer", { iss: "https://evil.example" }],
    ["an issuer with the same beginning", { iss: `${issuer}/` }],
    ["another audience", { aud: "https://other.example" }],
    ["no issuer", { iss: undefined }],
    ["no audience", { aud: undefined }],
    ["no expiry", { exp: undefined }],
    ["an expiry in the past", { exp: 1 }],
    ["an expiry that isn't a number", { exp: "9999999999" }],
    ["an nbf that isn't a number", { nbf: "0" }],
    ["no organization", { org: undefined }],
    ["an empty organization", { org: "" }],
    ["a blank organization", { org: " \t" }],
    ["an organization with a NUL character", { org: "acme\0" }],
    ["an organization with a lone surrogate", { org: "acme\ud83d" }],
    ["an organization of more than 100 characters", { org: "x".repeat(101) }],
    ["an organization that isn't a string", { org: { $ne: null } }],
    ["no scopes", { scope: undefined }],
    ["scopes that aren't a string", { scope: 5 }],
  ])("with %s is refused", async (_name, claims) => {
    expect(await createVerifier()(await signClaims({ ...validClaims(), ...claims }))).toBeNull();
  });

  it("with an invalid organization gets a 401", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    onTestFinished(() => loyalty.close());
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const api = createHttpApi(loyalty, { authenticate: createVerifier(), onError });
    for (const org of ["acme\0", "x".repeat(101), " "]) {
      const headers = { authorization: `Bearer ${await signClaims({ ...validClaims(), org })}` };
      const { status } = await api.fetch(new Request("https://loyalty.example/v1/contacts", { headers }));
      expect([status, errors]).toEqual([401, []]);
    }
  });

  it("without a public-key algorithm is refused: none, and HS256 with the public key as secret", async () => {
    const { privateKey: _, ...rsa } = await createKeyPair("RS256");
    const verify = createVerifier({ keys: [es256.jwk, rsa.jwk] });
    const unsecured = new UnsecuredJWT(validClaims()).encode();
    const secret = Buffer.from(JSON.stringify(rsa.jwk));
    const header = { alg: "HS256", kid: rsa.kid };
    const confused = await new SignJWT(validClaims()).setProtectedHeader(header).sign(secret);
    const keys = { keys: [{ kty: "oct", k: secret.toString("base64url"), kid: rsa.kid }] };
    for (const token of [unsecured, confused]) {
      expect(await verify(token)).toBeNull();
      expect(await createVerifier(keys)(token)).toBeNull();
    }
  });

  it("signed with another key is refused, and so is one with an unknown key id", async () => {
    const other = await createKeyPair("ES256", es256.kid);
    expect(await createVerifier()(await signClaims(validClaims(), other))).toBeNull();
    expect(await createVerifier()(await signClaims(validClaims(), { ...es256, kid: "unknown" }))).toBeNull();
  });

  it("that was changed, truncated or made up is refused", async () => {
    const verify = createVerifier();
    const token = await signClaims(validClaims());
    const [header = "", payload = "", signature = ""] = token.split(".");
    const forged = Buffer.from(JSON.stringify({ ...validClaims(), org: "globex" })).toString("base64url");
    for (const wrong of [
      ...["", ".", "..", "a.b.c", "lk_x", "null", token.slice(0, -1), `${token}.`, `${token}x`],
      ...[`${header}.${payload}.`, `${header}.${forged}.${signature}`, `${header}.${payload}`],
      ...["x".repeat(1_000_000), `${header}.${"x".repeat(1_000_000)}.${signature}`],
    ]) {
      expect(await verify(wrong), wrong.slice(0, 40)).toBeNull();
    }
  });

  it("has only one spelling, so that its requests are counted together", async () => {
    const pair = await createKeyPair("RS256");
    const verify = createVerifier({ keys: [pair.jwk] });
    const token = await signClaims(validClaims(), pair);
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const others = [...letters]
      .map((letter) => token.slice(0, -1) + letter)
      .filter((other) => other !== token);
    for (const other of [`${token}=`, `${token}==`, ...others]) expect(await verify(other)).toBeNull();
    expect(await verify(token)).toEqual(principal);
  });

  it("must name its key if several match", async () => {
    const other = await createKeyPair("ES256", "other");
    const verify = createVerifier({ keys: [es256.jwk, other.jwk] });
    const nameless = await new SignJWT(validClaims())
      .setProtectedHeader({ alg: "ES256" })
      .sign(es256.privateKey);
    expect(await verify(nameless)).toBeNull();
    expect(await verify(await signClaims(validClaims(), other))).toEqual(principal);
    expect(await createVerifier()(nameless)).toEqual(principal);
  });
});

describe("published keys", () => {
  /** Serves keys until the test ends. */
  const servePublishedKeys = async (answer: { status: number; body: string }) => {
    let requests = 0;
    let isSilent = false;
    const server = createServer((_request, response) => {
      requests += 1;
      if (isSilent) return;
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as AddressInfo;
    const setSilent = (is: boolean) => {
      isSilent = is;
    };
    return { url: new URL(`http://127.0.0.1:${port}/keys`), requests: () => requests, setSilent };
  };

  it("are fetched once for many tokens, and not for a text that is not a JWT", async () => {
    const { url, requests } = await servePublishedKeys({
      status: 200,
      body: JSON.stringify({ keys: [es256.jwk] }),
    });
    const verify = createVerifier(url);
    expect(await verify("made up")).toBeNull();
    expect(requests()).toBe(0);
    const token = await signClaims(validClaims());
    expect(await Promise.all([verify(token), verify(token), verify(token)])).toEqual(
      Array.from({ length: 3 }, () => principal),
    );
    for (let at = 0; at < 5; at += 1)
      await verify(await signClaims(validClaims(), { ...es256, kid: `unknown-${at}` }));
    expect(requests()).toBe(1);
  });

  it.each([
    { status: 500, body: "{}" },
    { status: 404, body: "{}" },
    { status: 302, body: "{}" },
    { status: 200, body: "<html>" },
    { status: 200, body: "{}" },
    { status: 200, body: '{"keys":5}' },
  ])("that are unavailable cause an error, not an invalid token: $status $body", async (answer) => {
    const { url } = await servePublishedKeys(answer);
    const error = await createVerifier(url)(await signClaims(validClaims())).catch((error: unknown) => error);
    expect(isLoyaltyError(error, "storage_unavailable")).toBe(true);
  });

  it("are requested at most once a second while they are unavailable", async () => {
    const { url, requests } = await servePublishedKeys({ status: 500, body: "{}" });
    const verify = createVerifier(url);
    for (let at = 0; at < 20; at += 1)
      await expect(verify(await signClaims(validClaims()))).rejects.toThrow();
    expect(requests()).toBe(1);
  });

  it("remain in use while the issuer doesn't respond, and don't delay a token", async () => {
    const { url, requests, setSilent } = await servePublishedKeys({
      status: 200,
      body: JSON.stringify({ keys: [es256.jwk] }),
    });
    const verify = createVerifier(url);
    const token = await signClaims(validClaims());
    expect(await verify(token)).toEqual(principal);
    setSilent(true);
    const old = Date.now() + 600_000;
    const now = vi.spyOn(Date, "now").mockImplementation(() => old);
    onTestFinished(() => now.mockRestore());
    expect(await Promise.all([verify(token), verify(token)])).toEqual([principal, principal]);
    for (let at = 0; at < 20; at += 1) expect(await verify(token)).toEqual(principal);
    expect(requests()).toBe(2);
  });

  it.each(["http://login.example/keys", "ftp://login.example/keys"])("are not fetched from %s", (url) => {
    expect(() => createVerifier(new URL(url))).toThrow(TypeError);
  });

  it("that are unavailable cause a 503, and the error is reported to the host", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    onTestFinished(() => loyalty.close());
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const authenticate = createVerifier(new URL("http://127.0.0.1:1/keys"));
    const api = createHttpApi(loyalty, { authenticate, onError });
    const headers = { authorization: `Bearer ${await signClaims(validClaims())}` };
    const { status } = await api.fetch(new Request("https://loyalty.example/v1/contacts", { headers }));
    expect([status, errors.length]).toEqual([503, 1]);
  });
});
