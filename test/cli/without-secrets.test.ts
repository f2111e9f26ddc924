import { describe, expect, it } from "vitest";
import { createServerLog } from "../../adapters/apps/cli/server/log.js";
import { redactSecrets } from "../../adapters/apps/cli/terminal/without-secrets.js";
import { createLoyaltyError } from "../../src/base/errors.js";
import { newToken, type TokenKind } from "../../src/base/secrets/token-format.js";

const webhookSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDLOALOFnYHIc=";
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.s0me_signature-of-it";
const pem = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----";

const kinds: readonly TokenKind[] = ["api", "secret", "code", "access", "refresh"];

/** Texts with the secret that each of them contains. */
const texts: readonly (readonly [text: string, secret: string])[] = [
  ...kinds.flatMap((kind): [string, string][] => {
    const token = newToken(kind);
    const secret = token.slice(10);
    return [
      [`no such token: ${token}.`, secret],
      [`Authorization: Bearer ${token}`, secret],
      [`{"client_secret":"${token}"}`, secret],
      [`duplicate key (hash, "${token}")`, secret],
    ];
  }),
  [`can't sign with ${webhookSecret}, it is too short`, webhookSecret.slice(6)],
  [`jwt ${jwt} is not valid`, "s0me_signature"],
  ["Basic YXBwOnMzY3JldA==", "YXBwOnMzY3JldA"],
  ["ApplePass 3kTMd8PqZx0B3kTMd8PqZx0B3kTMd8Pq", "3kTMd8PqZx0B"],
  ["postgres://ada:s3c@ret@host/x is down", "s3c@ret"],
  ["postgres:ada:s3cret@host/x", "s3cret"],
  ["smtps://ada:s3c/r@et@mail.example:465?tls=on is down", "s3c/r@et"],
  ["smtp:ada:s3cret@mail.example", "s3cret"],
  ["rediss://default:s3cret@cache.example:6379 is down", "s3cret"],
  ["postgres://ada@host/x?password=s3cret&application_name=till", "s3cret"],
  ["GET https://app.example/back?state=7&code=s3cret&iss=x", "s3cret"],
  ["code_verifier in ?code_verifier=s3cret", "s3cret"],
  ['{"refresh_token" : "s3cret", "scope": "user:read"}', "s3cret"],
  ["Cookie: loyalty_session=s3cret; theme=dark", "s3cret"],
  ["__Host-loyalty_session=s3cret", "s3cret"],
  [`can't read the key ${pem}`, "MIGHAgEAMBMG"],
];

describe("a secret", () => {
  it.each(texts)("is removed from %j", (text, secret) => {
    const cleanText = redactSecrets(text);
    expect(text).toContain(secret);
    expect(cleanText).not.toContain(secret);
    expect(redactSecrets(cleanText)).toBe(cleanText);
  });

  it("is removed without changing the rest of the text", () => {
    const token = newToken("api");
    expect(redactSecrets(`${token} of acme is for 192.0.2.7 alone`)).toBe(
      `${token.slice(0, 9)}… of acme is for 192.0.2.7 alone`,
    );
    for (const plain of [
      "loyalty-kit is listening on http://127.0.0.1:3000",
      "webhook endpoint whe_0199a5d2-9e52-7a18-b6f4-0c3d8e5a7b21 (https://hooks.example/…) is disabled: failed for 5 days",
      "storage_unavailable: connect ECONNREFUSED 127.0.0.1:5432",
      "basic authentication is not what this takes; the bearer is",
      "at Tags.assign (file:///app/dist/loyalty-kit.js:12:34)",
    ]) {
      expect(redactSecrets(plain)).toBe(plain);
    }
  });

  it("appears in no line of a server's log, of whatever kind", () => {
    const lines: string[] = [];
    const log = createServerLog("text", {
      result: (line) => void lines.push(line),
      note: (line) => void lines.push(line),
    });
    for (const [text, secret] of texts) {
      lines.length = 0;
      log.result(text);
      log.note(text);
      log.error(text);
      log.error(new Error(text));
      log.error(new Error("failed", { cause: new Error(text) }));
      log.error(createLoyaltyError("storage_unavailable", null, { cause: new Error(text) }));
      log.error(
        createLoyaltyError("storage_unavailable", null, {
          cause: new AggregateError([new Error(text)], "all failed"),
        }),
      );
      // A repeated line is written once and then only counted.
      expect(lines.length).toBeGreaterThanOrEqual(5);
      for (const line of lines) expect(line).not.toContain(secret);
    }
  });

  it("is found in time that grows no faster than the text", () => {
    for (const part of ["postgres:", "?pass", '"token', "a://", "eyJ.", "Bearer ", "cookie: ", "__Host-"]) {
      const long = part.repeat(1_000_000 / part.length);
      expect(redactSecrets(long).length).toBeGreaterThan(100_000);
    }
  });
});
