import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { verifyWebhook, type WebhookRefusal, WebhookVerificationError } from "loyalty-kit/webhooks";
import * as standard from "standardwebhooks";
import * as svix from "svix";
import { describe, expect, it } from "vitest";
import { signWebhook } from "../../src/webhooks/signature.js";
import { untyped } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";

const NOW = Date.UTC(2026, 0, 1);
const SECRET = createSecret();
const OTHER = createSecret();

const event = {
  id: "evt_1",
  type: "user.deleted",
  timestamp: "2026-01-01T00:00:00.000Z",
  data: { id: "usr_1", object: "user" },
};
const body = JSON.stringify(event);

function createSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

function createHeaders(text: string, { secrets = [SECRET], at = NOW, id = "evt_1" } = {}) {
  const timestamp = `${Math.floor(at / 1_000)}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signWebhook({ id, timestamp, body: text }, secrets),
  };
}

/** Verifies as a receiver whose clock stands still. */
function verify(
  headers: Parameters<typeof verifyWebhook>[0],
  rawBody: string | Uint8Array = body,
  secret: string | readonly string[] = SECRET,
) {
  return verifyWebhook(headers, rawBody, secret, { clock: () => NOW });
}

function getRefusalReason(work: () => unknown): WebhookRefusal {
  try {
    work();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
  throw new Error("not refused");
}

describe("verifyWebhook", () => {
  it("returns the event of a body that was signed with the secret, as text and as bytes", () => {
    expect(verify(createHeaders(body))).toEqual(event);
    expect(verify(createHeaders(body), Buffer.from(body))).toEqual(event);
    expect(verify(createHeaders(body), new TextEncoder().encode(body))).toEqual(event);
  });

  it("distinguishes events by their type", () => {
    const verified = verify(createHeaders(body));
    // The test is that this compiles.
    if (verified.type === "user.deleted") expect(verified.data.object).toBe("user");
    else if (verified.type === "stamp.added") expect(verified.data.currentStamps).toBeUndefined();
    else if (verified.type === "user_tag.assigned") expect(verified.data.userTag.slug).toBeUndefined();
  });

  it("returns an event of a type that only a later release knows", () => {
    const later = JSON.stringify({ ...event, type: "coupon.created" });
    expect(verify(createHeaders(later), later)).toMatchObject({ type: "coupon.created" });
  });

  it("accepts headers in every form and case", () => {
    const headers = createHeaders(body);
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(headers), upper, lists, { ...headers, get: "a", accept: undefined }]) {
      expect(verify(form)).toEqual(event);
    }
  });

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "refuses a request without %s",
    (name) => {
      for (const value of [undefined, "", []]) {
        expect(getRefusalReason(() => verify({ ...createHeaders(body), [name]: value }))).toBe(
          "missing_header",
        );
      }
      expect(getRefusalReason(() => verify({ ...createHeaders(body), [name]: ["1", "2"] }))).toBe(
        "malformed_header",
      );
    },
  );

  it.each(["soon", "-1", "1e9", " 1", "1.5", "9".repeat(13)])("refuses the time %s", (timestamp) => {
    const headers = { ...createHeaders(body), "webhook-timestamp": timestamp };
    expect(getRefusalReason(() => verify(headers))).toBe("malformed_header");
  });

  it("refuses a time that is more than five minutes from now, and accepts nearer ones", () => {
    const limit = 5 * 60_000;
    expect(verify(createHeaders(body, { at: NOW - limit }))).toEqual(event);
    expect(verify(createHeaders(body, { at: NOW + limit }))).toEqual(event);
    expect(getRefusalReason(() => verify(createHeaders(body, { at: NOW - limit - 1_000 })))).toBe("too_old");
    expect(getRefusalReason(() => verify(createHeaders(body, { at: NOW + limit + 1_000 })))).toBe("too_new");
  });

  it("refuses a body, id, time or secret other than the signed one", () => {
    const headers = createHeaders(body);
    const alteredCalls = [
      () => verify(headers, `${body} `),
      () => verify({ ...headers, "webhook-id": "evt_2" }),
      () => verify({ ...headers, "webhook-timestamp": `${NOW / 1_000 + 1}` }),
      () => verify(headers, body, OTHER),
      () => verify({ ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") }),
      () => verify({ ...headers, "webhook-signature": "v1," }),
      () => verify({ ...headers, "webhook-signature": headers["webhook-signature"].slice(0, -1) }),
    ];
    expect(alteredCalls.map(getRefusalReason)).toEqual(alteredCalls.map(() => "wrong_signature"));
  });

  it("accepts a signature of either secret while one is being rotated", () => {
    const both = createHeaders(body, { secrets: [OTHER, SECRET] });
    expect(verify(both, body, SECRET)).toEqual(event);
    expect(verify(both, body, OTHER)).toEqual(event);
    expect(verify(createHeaders(body), body, [OTHER, SECRET])).toEqual(event);
    const foreign = { ...both, "webhook-signature": `v1a,abc ${both["webhook-signature"]}` };
    expect(verify(foreign, body, SECRET)).toEqual(event);
  });

  it.each(["", "null", "[]", "{", "{}", JSON.stringify({ ...event, data: null }), `\ufeff${body}`])(
    "refuses a signed body that is not an event: %s",
    (text) => {
      expect(getRefusalReason(() => verify(createHeaders(text), text))).toBe("malformed_body");
      expect(getRefusalReason(() => verify(createHeaders(text), Buffer.from(text)))).toBe("malformed_body");
    },
  );

  it("refuses signed bytes that are not UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from(body), Buffer.from([0xff])]);
    const id = "evt_1";
    const timestamp = `${NOW / 1_000}`;
    const signature = signWebhook({ id, timestamp, body: bytes }, [SECRET]);
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    expect(getRefusalReason(() => verify(headers, bytes))).toBe("malformed_body");
  });

  it("throws for a parsed body, which can't be checked", () => {
    for (const parsed of [event, undefined, null]) {
      expect(() => verifyWebhook(createHeaders(body), untyped(parsed), SECRET)).toThrow(TypeError);
    }
  });

  it("throws for an invalid secret, rather than check against an empty key", () => {
    for (const secret of ["", "whsec_", "whsec_?", "whsec_ab=c", []]) {
      expect(() => verify(createHeaders(body), body, secret)).toThrow(TypeError);
    }
  });
});

describe("the signature", () => {
  it("is HMAC-SHA256 over the id, the time and the body, in the order of the secrets", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.string({ unit: "binary" }), (id, seconds, text) => {
        const message = { id, timestamp: `${seconds}`, body: text };
        const byHand = [SECRET, OTHER].map((secret) => {
          const key = Buffer.from(secret.slice("whsec_".length), "base64");
          return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${text}`).digest("base64")}`;
        });
        expect(signWebhook(message, [SECRET, OTHER])).toBe(byHand.join(" "));
      }),
    );
  });

  it.each([
    { name: "standardwebhooks", Webhook: standard.Webhook },
    { name: "svix", Webhook: svix.Webhook },
  ])("is accepted by $name, and ours accepts theirs", ({ Webhook }) => {
    const at = Date.now();
    expect(new Webhook(SECRET).verify(body, createHeaders(body, { at, secrets: [OTHER, SECRET] }))).toEqual(
      event,
    );
    expect(() => new Webhook(SECRET).verify(body, createHeaders(body, { at, secrets: [OTHER] }))).toThrow();
    const theirs = {
      "webhook-id": "evt_1",
      "webhook-timestamp": `${Math.floor(at / 1_000)}`,
      "webhook-signature": new Webhook(SECRET).sign("evt_1", new Date(at), body),
    };
    expect(verifyWebhook(theirs, body, SECRET)).toEqual(event);
  });

  it("verifies as the same event in every library, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.uuid(), (name, uuid) => {
        const [at, id] = [Date.now(), `evt_${uuid}`];
        const text = JSON.stringify({ ...event, id, data: { name } });
        const headers = createHeaders(text, { at, id });
        for (const verification of [
          verifyWebhook(headers, Buffer.from(text), SECRET),
          new standard.Webhook(SECRET).verify(text, headers),
          new svix.Webhook(SECRET).verify(Buffer.from(text), headers),
        ])
          expect(verification).toEqual(JSON.parse(text));
      }),
      runs(200),
    );
  });
});
