import { describe, expect, it } from "vitest";
import { parseSignedMessage, verifySignature } from "../../../adapters/delivery/wallets/google/callback.js";
import { tryParseJson } from "../../../adapters/delivery/wallets/json.js";

/**
 * The sample that Google publishes for messages of payments, which are signed in the same way ("Payment data
 * cryptography"), with the root key from the tests of Google's own library. It is parsed once, as it would arrive.
 */
const sample = String.raw`{
  "protocolVersion":"ECv2",
  "signature":"MEQCIH6Q4OwQ0jAceFEkGF0JID6sJNXxOEi4r+mA7biRxqBQAiAondqoUpU/bdsrAOpZIsrHQS9nwiiNwOrr24RyPeHA0Q\u003d\u003d",
  "intermediateSigningKey":{
    "signedKey": "{\"keyExpiration\":\"1542323393147\",\"keyValue\":\"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/1+3HBVSbdv+j7NaArdgMyoSAM43yRydzqdg1TxodSzA96Dj4Mc1EiKroxxunavVIvdxGnJeFViTzFvzFRxyCw\\u003d\\u003d\"}",
    "signatures": ["MEYCIQCO2EIi48s8VTH+ilMEpoXLFfkxAwHjfPSCVED/QDSHmQIhALLJmrUlNAY8hDQRV/y1iKZGsWpeNmIP+z+tCQHQxP0v"]
  },
  "signedMessage":"{\"tag\":\"jpGz1F1Bcoi/fCNxI9n7Qrsw7i7KHrGtTf3NrRclt+U\\u003d\",\"ephemeralPublicKey\":\"BJatyFvFPPD21l8/uLP46Ta1hsKHndf8Z+tAgk+DEPQgYTkhHy19cF3h/bXs0tWTmZtnNm+vlVrKbRU9K8+7cZs\\u003d\",\"encryptedMessage\":\"mKOoXwi8OavZ\"}"
}`;
const root = {
  keyValue:
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvhuz8WZo0DhP7Lg1AQtpQpm2i7Gr6yBa+i6mVOwz3iepodYVDE9YGLzUwoL8AEsPUz/26Pg3lofL2u04/edeXg==",
  expiresAt: 2_154_841_200_000,
};
const parties = { sender: "Google", recipient: "merchant:12345", protocolVersion: "ECv2" };
const then = 1_542_233_393_000;

function verifyMessage(
  changes: { text?: string; roots?: (typeof root)[]; now?: number } & Partial<typeof parties>,
) {
  const { text = sample, roots = [root], now = then, ...others } = changes;
  const message = parseSignedMessage(tryParseJson(text));
  return message !== null && verifySignature(message, { ...parties, ...others }, roots, now);
}

describe("Google's published sample", () => {
  it("has a valid signature", () => {
    expect(verifyMessage({})).toBe(true);
  });

  it.each<[string, Parameters<typeof verifyMessage>[0]]>([
    ["the intermediate key has expired", { now: 1_542_323_393_147 }],
    ["the root key has expired", { roots: [{ ...root, expiresAt: then }] }],
    ["there is no root key", { roots: [] }],
    ["the root key is invalid", { roots: [{ ...root, keyValue: "none" }] }],
    ["it is for another recipient", { recipient: "merchant:1234" }],
    ["it is from another sender", { sender: "GooglePayPasses" }],
    ["it uses another protocol version", { protocolVersion: "ECv2SigningOnly" }],
    ["its message was changed", { text: sample.replace("mKOo", "mKOp") }],
    ["its key was changed", { text: sample.replace("1542323393147", "1542323393148") }],
    ["its texts were parsed twice", { text: sample.replaceAll(String.raw`\\u003d`, "=") }],
  ])("has no valid signature when %s", (_, changes) => {
    expect(verifyMessage(changes)).toBe(false);
  });
});
