import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { createFakeGoogle } from "loyalty-kit/testing";
import { checkWallets, createWallets, type GoogleOptions } from "loyalty-kit/wallets";
import { describe, expect, it } from "vitest";
import { describeConnectionError } from "../../../adapters/delivery/wallets/google/connection-error.js";
import { openGoogle, PUBLIC_URL } from "./google-scene.js";

const createFetchError = (fields: object) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("it failed"), fields) });

describe("the doctor for Google", () => {
  it("finds nothing when everything is fine", async () => {
    const { wallets } = await openGoogle(memoryStorage());
    expect(await wallets.check()).toEqual([]);
  });

  it("reports an account or an issuer that Google refuses, and a Google that doesn't respond", async () => {
    const { google, googleOptions, clock } = await openGoogle(memoryStorage());
    const listFindings = async (options: Partial<GoogleOptions> = {}) => {
      const found = await checkWallets(
        { publicUrl: PUBLIC_URL, google: { ...googleOptions, ...options } },
        clock.read,
      );
      return found.map(({ severity, code }) => [severity, code]);
    };
    google.failTokens(400);
    expect(await listFindings()).toEqual([["error", "google_account_refused"]]);
    google.failTokens(503);
    expect(await listFindings()).toEqual([["warning", "google_unreachable"]]);
    google.failTokens(null);
    expect(await listFindings({ issuerId: "999" })).toEqual([["error", "google_issuer_refused"]]);
    google.script({ status: 503, reason: "backendError" });
    expect(await listFindings()).toEqual([["warning", "google_unreachable"]]);
    expect(await listFindings({ tokenUrl: "http://127.0.0.1:9/token" })).toEqual([
      ["warning", "google_unreachable"],
    ]);
  });

  it("says in plain words that Google can't be reached, and why", async () => {
    const { googleOptions, clock } = await openGoogle(memoryStorage());
    const nobody = await createFakeGoogle();
    await nobody.close();
    const listWords = async (options: Partial<GoogleOptions>) => {
      const found = await checkWallets(
        { publicUrl: PUBLIC_URL, google: { ...googleOptions, ...options } },
        clock.read,
      );
      return found.map(({ message }) => message);
    };
    for (const [name, url] of [
      ["tokenUrl", nobody.tokenUrl],
      ["apiUrl", nobody.apiUrl],
    ] as const) {
      expect(await listWords({ [name]: url })).toEqual([
        `Google Wallet couldn't be checked: ${new URL(url).host} can't be reached: it refused the connection; check this machine's network connection and firewall`,
      ]);
    }
  });

  it.each<[string, unknown]>([
    ["this machine can't resolve its name", createFetchError({ code: "ENOTFOUND" })],
    ["this machine can't look up names", createFetchError({ code: "EAI_AGAIN" })],
    ["it didn't respond in time", new DOMException("The operation timed out", "TimeoutError")],
    ["the connection fails (CERT_HAS_EXPIRED)", createFetchError({ code: "CERT_HAS_EXPIRED" })],
    ["the connection fails (bad port)", new TypeError("fetch failed", { cause: new Error("bad port") })],
    ["it didn't respond", new TypeError("fetch failed")],
    ["it didn't respond", "nothing"],
  ])("describes a connection error: %s", (words, error) => {
    expect(describeConnectionError("https://oauth2.googleapis.com/token", error)).toBe(
      `oauth2.googleapis.com can't be reached: ${words}`,
    );
  });

  it("reports a class that Google rejected", async () => {
    const { google, newPass, save, wallets, template } = await openGoogle(memoryStorage());
    const { url } = await newPass();
    await save(url);
    google.review(`${google.issuerId}.${template.id}`, "REJECTED");
    expect(await wallets.check()).toMatchObject([{ severity: "error", code: "google_class_rejected" }]);
  });

  it("refuses to create wallets with invalid options, and quotes no key", async () => {
    const google = await createFakeGoogle();
    await google.close();
    const { issuerId, serviceAccount } = google;
    const createAccount = (changes: object) => JSON.stringify({ ...JSON.parse(serviceAccount), ...changes });
    const wrong: readonly (readonly [Partial<GoogleOptions>, string])[] = [
      [{ issuerId: "issuer" }, "issuer ID must be a number"],
      [{ serviceAccount: "/no/such/file" }, "service account can't be read"],
      [{ serviceAccount: "{" }, "isn't a JSON object"],
      [{ serviceAccount: createAccount({ client_email: 5 }) }, "has no client_email"],
      [{ serviceAccount: createAccount({ private_key: "-----BEGIN nothing" }) }, "no RSA private_key"],
      [{ apiUrl: "ftp://example.com" }, "API URL must be"],
      [{ tokenUrl: "http://example.com/token" }, "token URL must be"],
      [{ keysUrl: "keys" }, "keys URL must be"],
      [{ callsPerSecond: 0 }, "must be above 0"],
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
