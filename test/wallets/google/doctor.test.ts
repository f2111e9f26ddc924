import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { checkWallets, createWallets, type GoogleOptions } from "loyalty-kit/wallets";
import { createFakeGoogle } from "loyalty-kit/wallets/testing";
import { describe, expect, it } from "vitest";
import { openGoogle, PUBLIC_URL } from "./google-scene.js";

describe("the doctor of Google's half", () => {
  it("finds nothing when all is well", async () => {
    const { wallets } = await openGoogle(memoryStorage());
    expect(await wallets.check()).toEqual([]);
  });

  it("finds an account, or an issuer, that Google refuses, and a Google that does not answer", async () => {
    const { google, googleOptions, clock } = await openGoogle(memoryStorage());
    const findings = async (options: Partial<GoogleOptions> = {}) => {
      const found = await checkWallets(
        { publicUrl: PUBLIC_URL, google: { ...googleOptions, ...options } },
        clock.read,
      );
      return found.map(({ severity, code }) => [severity, code]);
    };
    google.failTokens(400);
    expect(await findings()).toEqual([["error", "google_account_refused"]]);
    google.failTokens(503);
    expect(await findings()).toEqual([["warning", "google_unreachable"]]);
    google.failTokens(null);
    expect(await findings({ issuerId: "999" })).toEqual([["error", "google_issuer_refused"]]);
    google.script({ status: 503, reason: "backendError" });
    expect(await findings()).toEqual([["warning", "google_unreachable"]]);
    expect(await findings({ tokenUrl: "http://127.0.0.1:9/token" })).toEqual([
      ["warning", "google_unreachable"],
    ]);
  });

  it("finds a class that Google did not accept", async () => {
    const { google, newPass, save, wallets, template } = await openGoogle(memoryStorage());
    const { url } = await newPass();
    await save(url);
    google.review(`${google.issuerId}.${template.id}`, "REJECTED");
    expect(await wallets.check()).toMatchObject([{ severity: "error", code: "google_class_rejected" }]);
  });

  it("lets no wallets begin with what can't be right, and quotes no key", async () => {
    const google = await createFakeGoogle();
    await google.close();
    const { issuerId, serviceAccount } = google;
    const account = (changes: object) => JSON.stringify({ ...JSON.parse(serviceAccount), ...changes });
    const wrong: readonly (readonly [Partial<GoogleOptions>, string])[] = [
      [{ issuerId: "issuer" }, "issuer id must be a number"],
      [{ serviceAccount: "/no/such/file" }, "service account can't be read"],
      [{ serviceAccount: "{" }, "is no JSON object"],
      [{ serviceAccount: account({ client_email: 5 }) }, "names no client_email"],
      [{ serviceAccount: account({ private_key: "-----BEGIN nothing" }) }, "no private_key that is RSA"],
      [{ apiUrl: "ftp://example.com" }, "API URL must be"],
      [{ tokenUrl: "http://example.com/token" }, "token URL must be"],
      [{ keysUrl: "keys" }, "keys URL must be"],
      [{ callsPerSecond: 0 }, "must be more than 0"],
    ];
    for (const [options, message] of wrong) {
      const loyalty = new LoyaltyService({ storage: memoryStorage() });
      const begin = () =>
        createWallets(loyalty, { publicUrl: PUBLIC_URL, google: { issuerId, serviceAccount, ...options } });
      expect(begin).toThrow(message);
      expect(begin).not.toThrow("BEGIN");
    }
  });
});
