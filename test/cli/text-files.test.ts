import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFakeMail, createFakePki } from "loyalty-kit/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmptyFolder } from "./command.js";
import { openCustomers } from "./customers.js";
import { runCommand } from "./run-command.js";

const folder = createEmptyFolder();
let files = 0;
function writeFile(content: string | Buffer): string {
  files += 1;
  const file = join(folder, `${files}.txt`);
  writeFileSync(file, content);
  return file;
}

const password = "  pässwort — 密码 ";
const pki = createFakePki();
const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
const dkim = rsa.export({ type: "pkcs8", format: "pem" }).toString();
const passphrase = "open sésame";
const sealedKey = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey.export({
  ...{ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase },
});

let server: Awaited<ReturnType<typeof createFakeMail>>;
beforeAll(async () => {
  server = await createFakeMail({ user: { name: "cafe", password } });
});
afterAll(() => server.close());

type Flags = Readonly<Record<string, string>>;
const toArgs = (flags: Flags) => Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);

function checkMail(flags: Flags) {
  const url = new URL(server.url);
  url.password = "";
  const defaults = { "public-url": "https://shop.example", "mail-from": "cards@shop.example" };
  return runCommand(["mail", "check", ...toArgs({ ...defaults, "smtp-url": url.href, ...flags })]);
}

function checkWallets(flags: Flags) {
  const good = {
    "public-url": "https://shop.example",
    "apple-certificate": writeFile(pki.pass.certificate),
    "apple-key": writeFile(pki.pass.key),
    "apple-wwdr": writeFile(pki.wwdr),
  };
  return runCommand(["wallets", "check", ...toArgs({ ...good, ...flags })]);
}

const MARK = "\uFEFF";
const dkimFlags = (file: string) => ({
  "mail-dkim-key": file,
  "mail-dkim-selector": "loyalty",
  "smtp-password-file": writeFile(password),
});

/** Every text file that an option accepts, with a command that reads it. */
const texts: readonly {
  what: string;
  content: string;
  check: (file: string) => ReturnType<typeof runCommand>;
}[] = [
  { what: "password", content: password, check: (file) => checkMail({ "smtp-password-file": file }) },
  { what: "DKIM key", content: dkim, check: (file) => checkMail(dkimFlags(file)) },
  {
    what: "certificate",
    content: pki.pass.certificate,
    check: (file) => checkWallets({ "apple-certificate": file }),
  },
  { what: "Apple's key", content: pki.pass.key, check: (file) => checkWallets({ "apple-key": file }) },
  { what: "wwdr", content: pki.wwdr, check: (file) => checkWallets({ "apple-wwdr": file }) },
];

describe("a file that a text editor saved", () => {
  const forms: readonly [string, (text: string) => string][] = [
    ["without a line end", (text) => text.replace(/\n$/, "")],
    ["with a line feed at its end", (text) => `${text}\n`],
    ["with the line ends of Windows", (text) => `${text}\n`.replaceAll("\n", "\r\n")],
    ["with a byte-order mark", (text) => `${MARK}${text}`],
    ["with a byte-order mark and the line ends of Windows", (text) => `${MARK}${text}\r\n\r\n`],
  ];

  describe.each(forms)("%s", (_, form) => {
    it.each(texts)("is read as exactly the $what", async ({ content, check }) => {
      expect(await check(writeFile(form(content)))).toMatchObject({ code: 0, stderr: "" });
    });

    it("is read as exactly the passphrase", async () => {
      const result = await checkWallets({
        "apple-key": writeFile(sealedKey),
        "apple-passphrase-file": writeFile(form(passphrase)),
      });
      // The key was decrypted, and it belongs to no certificate.
      expect(result.stdout).toBe(
        "error: Apple's key doesn't match the certificate; use the key that the signing request was created with\n",
      );
    });

    it("is read as exactly the JSON of an automation", async () => {
      const acme = openCustomers();
      await acme.import("email,tags\nada@example.com,vip\n", "--create-tags");
      const automation = { name: "A", on: { event: "user.created" }, do: [{ assignTag: "vip" }] };
      const file = writeFile(form(JSON.stringify(automation)));
      expect(await runCommand(["automation", "create", file, ...acme.databaseArgs])).toMatchObject({
        code: 0,
        stderr: "",
      });
    });
  });
});

describe("a file in another encoding", () => {
  const toUtf16 = (text: string) => Buffer.from(text, "utf16le");
  const forms: readonly [string, (text: string) => Buffer, string][] = [
    ["UTF-16 with a mark", (text) => toUtf16(`${MARK}${text}`), "because it is UTF-16; save it as UTF-8"],
    [
      "UTF-16, big end first",
      (text) => toUtf16(`${MARK}${text}`).swap16(),
      "because it is UTF-16; save it as UTF-8",
    ],
    ["UTF-16 without a mark", toUtf16, "because it is UTF-16; save it as UTF-8"],
    ["Windows-1252", (text) => Buffer.from(`é${text}`, "latin1"), "because it isn't UTF-8; save it as UTF-8"],
  ];

  describe.each(forms)("%s", (_, form, reason) => {
    it.each(texts)(
      "is refused as a $what, and the error quotes nothing from it",
      async ({ content, check }) => {
        const result = await check(writeFile(form(content)));
        expect(result).toMatchObject({ code: 2, stdout: "" });
        expect(result.stderr).toMatch(/^loyalty-kit: the .*file.* can't be read because .*\n$/);
        expect(result.stderr).toContain(reason);
      },
    );
  });
});

describe("a file whose first line is empty", () => {
  it.each(["", "\n", MARK, `\r\n${password}`])("is refused as a password: %j", async (content) => {
    expect(await checkMail({ "smtp-password-file": writeFile(content) })).toEqual({
      code: 2,
      stdout: "",
      stderr: "loyalty-kit: the first line of the mail server password file is empty\n",
    });
  });
});
