import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakePki } from "loyalty-kit/wallets/testing";
import { afterAll, describe, expect, it } from "vitest";
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
    expect(await check(good)).toMatchObject({ code: 0, stdout: "all is well\n" });
  });

  it("says what is wrong, and fails", async () => {
    const answer = await check({ ...good, "apple-certificate": files.expired });
    expect(answer.code).toBe(1);
    expect(answer.stdout).toContain("error: Apple's key is not that of the certificate");
    expect(answer.stdout).toContain("error: Apple's certificate of the pass type expired on");
    expect(answer.stderr).toContain("there are 2 errors");
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["nothing", {}, "there is nothing to check"],
    ["half of it", { "apple-key": files.key }, "passes for Apple's Wallet need --public-url too"],
    [
      "a missing file",
      { ...good, "apple-key": join(directory, "none") },
      "the file of Apple's key can't be read",
    ],
    [
      "a missing passphrase",
      { ...good, "apple-passphrase-file": "none" },
      "the passphrase, none, can't be read",
    ],
  ])("takes %s for wrong usage", async (_, fields, message) => {
    const answer = await check(fields);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain(message);
  });
});
