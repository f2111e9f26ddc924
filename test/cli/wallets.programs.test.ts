import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeGoogle, createFakePki, verifiedPass } from "loyalty-kit/testing";
import { afterAll, describe, expect, it } from "vitest";
import { serve } from "./command.js";
import { newDatabase } from "./new-database.js";
import { ran } from "./ran.js";

const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
afterAll(() => rmSync(directory, { recursive: true }));

const pki = createFakePki();
const fileOf = (name: string, content: string) => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};
const files = {
  certificate: fileOf("pass.pem", pki.pass.certificate),
  key: fileOf("pass.key", pki.pass.key),
  wwdr: fileOf("wwdr.pem", pki.wwdr),
  expired: fileOf("expired.pem", pki.expired.certificate),
};

const check = (fields: Readonly<Record<string, string>>) =>
  ran(["wallets", "check", ...Object.entries(fields).flatMap(([name, value]) => [`--${name}`, value])]);

const good = {
  "public-url": "https://shop.example",
  "apple-certificate": files.certificate,
  "apple-key": files.key,
  "apple-wwdr": files.wwdr,
};

describe("loyalty-kit wallets check", () => {
  it("says that all is well", async () => {
    expect(await check(good)).toMatchObject({ code: 0, stdout: "no problems found\n" });
  });

  it("says what is wrong, and fails", async () => {
    const answer = await check({ ...good, "apple-certificate": files.expired });
    expect(answer.code).toBe(1);
    expect(answer.stdout).toContain("error: Apple's key doesn't match the certificate");
    expect(answer.stdout).toContain("error: Apple's certificate of the pass type expired on");
    expect(answer.stderr).toContain("found 2 errors");
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["nothing", {}, "no wallet is configured"],
    ["a public URL and no wallet", { "public-url": "https://shop.example" }, "no wallet is configured"],
    [
      "half of it",
      { "public-url": "https://shop.example", "apple-key": files.key },
      "Apple Wallet passes also require --apple-certificate",
    ],
    [
      "an issuer alone",
      { "public-url": "https://shop.example", "google-issuer": "3388" },
      "Google Wallet cards also require --google-service-account",
    ],
    [
      "no public URL",
      { "google-issuer": "3388", "google-service-account": files.key },
      "Google Wallet cards also require --public-url",
    ],
    [
      "a certificate for an account",
      {
        "public-url": "https://shop.example",
        "google-issuer": "3388",
        "google-service-account": files.certificate,
      },
      "Google's service account isn't a JSON object",
    ],
    ["no calls a second", { ...good, "google-calls-per-second": "0" }, "It must be a number greater than 0."],
    [
      "a missing file",
      { ...good, "apple-key": join(directory, "none") },
      "the file with Apple's key can't be read: it doesn't exist",
    ],
    [
      "a missing passphrase",
      { ...good, "apple-passphrase-file": "none" },
      "the passphrase file can't be read: it doesn't exist",
    ],
  ])("takes %s for wrong usage", async (_, fields, message) => {
    const answer = await check(fields);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain(message);
  });
});

describe("loyalty-kit serve with Apple's certificates", () => {
  it("gives a pass by its link, and says what is wrong with the setup", async () => {
    const database = await newDatabase();
    const make = ["token", "create", "--database", database, "--organization", "acme", "--name", "till"];
    const { stdout: token } = await ran([...make, "--scopes", "all"]);
    const { "public-url": _, ...apple } = good;
    const flags = Object.entries(apple).flatMap(([name, value]) => [`--${name}`, value]);
    const { url, process, ended } = await serve([
      "--database",
      database,
      "--public-url",
      "http://127.0.0.1:9",
      "--apple-badge",
      fileOf("badge.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      ...flags,
    ]);
    const call = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" };
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
      return JSON.parse(await (await fetch(`${url}${path}`, init)).text());
    };
    const template = await call("/v1/templates", { name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await call(`/v1/templates/${template.id}/walletpasses`, {
      user: { email: "ada@example.com" },
    });
    const { apple: link, google } = await call(`/v1/walletpasses/${pass.id}/wallet-links`);
    expect(google).toBeNull();
    const answer = await fetch(link.replace("http://127.0.0.1:9", url));
    const read = verifiedPass(new Uint8Array(await answer.arrayBuffer()), pki.root, Date.now());
    expect(read.pass).toMatchObject({ serialNumber: pass.id, organizationName: "Shop" });
    const card = await fetch(`${url}/c/${pass.qrCodeValue.split("/").at(-1)}`);
    expect(await card.text()).toContain('<img src="data:image/svg+xml;base64,');
    process.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain("wallets: warning: the public URL points to this machine");
    expect(stderr).not.toContain(link);
  });
});

describe("loyalty-kit with an issuer of Google", () => {
  it("checks the account, and serves a card at Google that is called back for", async () => {
    const google = await createFakeGoogle();
    const account = fileOf("account.json", google.serviceAccount);
    const flags = {
      ...{ "google-issuer": google.issuerId, "google-service-account": account },
      ...{ "google-api-url": google.apiUrl, "google-token-url": google.tokenUrl },
      "google-keys-url": google.keysUrl,
    };
    const checked = await check({ "public-url": "https://shop.example", ...flags });
    expect(checked).toMatchObject({ code: 0, stdout: "no problems found\n" });
    google.failTokens(400);
    const refused = await check({ "public-url": "https://shop.example", ...flags });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("error: Google rejected the service account");
    google.failTokens(null);

    const database = await newDatabase();
    const make = ["token", "create", "--database", database, "--organization", "acme", "--name", "till"];
    const { stdout: token } = await ran([...make, "--scopes", "all"]);
    const { url, process, ended } = await serve([
      ...["--database", database, "--public-url", "http://127.0.0.1:9"],
      ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
    ]);
    google.sendBy(async (request) => {
      const there = request.url.replace("http://127.0.0.1:9", url);
      const body = request.method === "POST" ? await request.text() : null;
      return fetch(there, { method: request.method, headers: request.headers, body });
    });
    const call = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" };
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
      return JSON.parse(await (await fetch(`${url}${path}`, init)).text());
    };
    const template = await call("/v1/templates", { name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await call(`/v1/templates/${template.id}/walletpasses`, {
      user: { email: "ada@example.com" },
    });
    const { apple, google: link } = await call(`/v1/walletpasses/${pass.id}/wallet-links`);
    expect(apple).toBeNull();
    const answer = await fetch(link.replace("http://127.0.0.1:9", url), { redirect: "manual" });
    const objectId = await google.save(answer.headers.get("location") ?? "");
    expect(await call(`/v1/walletpasses/${pass.id}`)).toMatchObject({ installationStatus: "INSTALLED" });
    await call(`/v1/walletpasses/${pass.id}/stamps/add`, { count: 2 });
    const points = () => google.objects.get(objectId)?.content.loyaltyPoints;
    await expect.poll(points).toMatchObject({ balance: { string: "2/5" } });
    process.kill("SIGTERM");
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).not.toContain(link);
    expect(google.complaints).toEqual([]);
    await google.close();
  });
});
