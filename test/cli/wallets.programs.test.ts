import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeGoogle, createFakePki, verifiedPass } from "loyalty-kit/testing";
import { afterAll, describe, expect, it } from "vitest";
import { startServer } from "./command.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

const directory = mkdtempSync(join(tmpdir(), "loyalty-kit-"));
afterAll(() => rmSync(directory, { recursive: true }));

const pki = createFakePki();
const writeFile = (name: string, content: string) => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};
const files = {
  certificate: writeFile("pass.pem", pki.pass.certificate),
  key: writeFile("pass.key", pki.pass.key),
  wwdr: writeFile("wwdr.pem", pki.wwdr),
  expired: writeFile("expired.pem", pki.expired.certificate),
};

const checkWallets = (fields: Readonly<Record<string, string>>) =>
  runCommand([
    "wallets",
    "check",
    ...Object.entries(fields).flatMap(([name, value]) => [`--${name}`, value]),
  ]);

const good = {
  "public-url": "https://shop.example",
  "apple-certificate": files.certificate,
  "apple-key": files.key,
  "apple-wwdr": files.wwdr,
};

describe("loyalty-kit wallets check", () => {
  it("reports that there are no problems", async () => {
    expect(await checkWallets(good)).toMatchObject({ code: 0, stdout: "no problems found\n" });
  });

  it("reports what is wrong, and fails", async () => {
    const result = await checkWallets({ ...good, "apple-certificate": files.expired });
    expect(result.code).toBe(1);
    expect(result.stdout).toContain("error: Apple's key doesn't match the certificate");
    expect(result.stdout).toContain("error: Apple's certificate of the pass type expired on");
    expect(result.stderr).toContain("found 2 errors");
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["nothing", {}, "no wallet is configured"],
    ["a public URL without a wallet", { "public-url": "https://shop.example" }, "no wallet is configured"],
    [
      "an Apple key without a certificate",
      { "public-url": "https://shop.example", "apple-key": files.key },
      "Apple Wallet passes also require --apple-certificate",
    ],
    [
      "a Google issuer without a service account",
      { "public-url": "https://shop.example", "google-issuer": "3388" },
      "Google Wallet cards also require --google-service-account",
    ],
    [
      "no public URL",
      { "google-issuer": "3388", "google-service-account": files.key },
      "Google Wallet cards also require --public-url",
    ],
    [
      "a certificate instead of a service account",
      {
        "public-url": "https://shop.example",
        "google-issuer": "3388",
        "google-service-account": files.certificate,
      },
      "Google's service account isn't a JSON object",
    ],
    [
      "zero calls per second",
      { ...good, "google-calls-per-second": "0" },
      "It must be a number greater than 0.",
    ],
    [
      "a missing key file",
      { ...good, "apple-key": join(directory, "none") },
      "the file with Apple's key can't be read: it doesn't exist",
    ],
    [
      "a missing passphrase file",
      { ...good, "apple-passphrase-file": "none" },
      "the passphrase file can't be read: it doesn't exist",
    ],
  ])("reports %s as a usage error", async (_, fields, message) => {
    const result = await checkWallets(fields);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
  });
});

describe("loyalty-kit serve with Apple's certificates", () => {
  it("serves a pass by its link, and logs what is wrong with the setup", async () => {
    const database = await createDatabase();
    const make = ["token", "create", "--database", database, "--organization", "acme", "--name", "till"];
    const { stdout: token } = await runCommand([...make, "--scopes", "all"]);
    const { "public-url": _, ...apple } = good;
    const flags = Object.entries(apple).flatMap(([name, value]) => [`--${name}`, value]);
    const { url, process, exit } = await startServer([
      "--database",
      database,
      "--public-url",
      "http://127.0.0.1:9",
      "--apple-badge",
      writeFile("badge.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      ...flags,
    ]);
    const callApi = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" };
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
      return JSON.parse(await (await fetch(`${url}${path}`, init)).text());
    };
    const template = await callApi("/v1/templates", { name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await callApi(`/v1/templates/${template.id}/walletpasses`, {
      user: { email: "ada@example.com" },
    });
    const { apple: link, google } = await callApi(`/v1/walletpasses/${pass.id}/wallet-links`);
    expect(google).toBeNull();
    const response = await fetch(link.replace("http://127.0.0.1:9", url));
    const readPass = verifiedPass(new Uint8Array(await response.arrayBuffer()), pki.root, Date.now());
    expect(readPass.pass).toMatchObject({ serialNumber: pass.id, organizationName: "Shop" });
    const card = await fetch(`${url}/c/${pass.qrCodeValue.split("/").at(-1)}`);
    expect(await card.text()).toContain('<img src="data:image/svg+xml;base64,');
    process.kill("SIGTERM");
    const { code, stderr } = await exit;
    expect(code).toBe(0);
    expect(stderr).toContain("wallets: warning: the public URL points to this machine");
    expect(stderr).not.toContain(link);
  });
});

describe("loyalty-kit with a Google issuer", () => {
  it("checks the account, serves a Google Wallet card, and handles Google's callbacks", async () => {
    const google = await createFakeGoogle();
    const account = writeFile("account.json", google.serviceAccount);
    const flags = {
      ...{ "google-issuer": google.issuerId, "google-service-account": account },
      ...{ "google-api-url": google.apiUrl, "google-token-url": google.tokenUrl },
      "google-keys-url": google.keysUrl,
    };
    const result = await checkWallets({ "public-url": "https://shop.example", ...flags });
    expect(result).toMatchObject({ code: 0, stdout: "no problems found\n" });
    google.failTokens(400);
    const failure = await checkWallets({ "public-url": "https://shop.example", ...flags });
    expect(failure.code).toBe(1);
    expect(failure.stdout).toContain("error: Google rejected the service account");
    google.failTokens(null);

    const database = await createDatabase();
    const make = ["token", "create", "--database", database, "--organization", "acme", "--name", "till"];
    const { stdout: token } = await runCommand([...make, "--scopes", "all"]);
    const { url, process, exit } = await startServer([
      ...["--database", database, "--public-url", "http://127.0.0.1:9"],
      ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
    ]);
    google.sendBy(async (request) => {
      const localUrl = request.url.replace("http://127.0.0.1:9", url);
      const body = request.method === "POST" ? await request.text() : null;
      return fetch(localUrl, { method: request.method, headers: request.headers, body });
    });
    const callApi = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" };
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
      return JSON.parse(await (await fetch(`${url}${path}`, init)).text());
    };
    const template = await callApi("/v1/templates", { name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await callApi(`/v1/templates/${template.id}/walletpasses`, {
      user: { email: "ada@example.com" },
    });
    const { apple, google: link } = await callApi(`/v1/walletpasses/${pass.id}/wallet-links`);
    expect(apple).toBeNull();
    const response = await fetch(link.replace("http://127.0.0.1:9", url), { redirect: "manual" });
    const objectId = await google.save(response.headers.get("location") ?? "");
    expect(await callApi(`/v1/walletpasses/${pass.id}`)).toMatchObject({ installationStatus: "INSTALLED" });
    await callApi(`/v1/walletpasses/${pass.id}/stamps/add`, { count: 2 });
    const readPoints = () => google.objects.get(objectId)?.content.loyaltyPoints;
    await expect.poll(readPoints).toMatchObject({ balance: { string: "2/5" } });
    process.kill("SIGTERM");
    const { code, stderr } = await exit;
    expect(code).toBe(0);
    expect(stderr).not.toContain(link);
    expect(google.complaints).toEqual([]);
    await google.close();
  });
});
