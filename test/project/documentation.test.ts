import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ErrorCode, type ErrorDetail, errorCodes, LoyaltyError, LoyaltyService } from "loyalty-kit";
import { createClient } from "loyalty-kit/client";
import { routes } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { describe, expect, it } from "vitest";
import { createServerExtensions } from "../../adapters/apps/cli/server/extensions.js";
import { publicPasskeyPaths } from "../../adapters/apps/console/server/passkeys/passkey-routes.js";
import { publicPaths as walletPaths } from "../../adapters/delivery/wallets/endpoints.js";
import { madePages } from "../../docs/write-pages.js";
import { buildCallRules, operations } from "../../src/operation-table.js";
import { attacks } from "../neighbors/attacks.js";
import { root } from "./imports.js";
import { pages, read, usersPages } from "./pages.js";

/** Tasks that decide whether a shop can adopt the library, and the sections that explain them. */
const askedFor = {
  "join a transaction": "joining.md",
  "bring an existing program over": "import.md#coming-from-square-odoo-smileio-or-stamp-me",
  "move to another database": "storage.md#moving-to-another-database",
  "back up": "storage.md#backups",
  "change the address of its QR codes": "library.md#qr-codes",
  "tell who has done what": "library.md#who-did-it",
  "look through its administration": "library.md#the-audit-trail",
  "undo a mistake": "library.md#undo",
  "erase a person and hand out what is known": "privacy.md#erasing",
  "use its own login": "http.md#your-own-login",
  "run it in production": "deploying.md",
  "get or create": "library.md#get-or-create",
  "work with CSV as Excel writes it": "import.md#on-the-command-line",
  "build a till": "library.md#at-a-till",
  "hear of mistyped fields": "http.md#unknown-fields",
  "work in bulk on Postgres": "storage.md#in-bulk",
  "bundle it": "frameworks.md#bundling",
  "use a generated client": "http.md#generated-clients",
  "let apps sign in": "oauth.md",
};

const groups = Object.keys(operations) as (keyof typeof operations)[];

/** Files that are only started as a bundle. */
const partsOfBundle = ["bundle/page.ts", "bundle/server.ts", "bundle/worker.ts"];

/** Maximum number of words on a page. Tables of limits, which are looked up rather than read, may have more. */
const WORDS_OF_A_PAGE = 2_500;
const tablesOf: Readonly<Record<string, number>> = {
  "docs/limits.md": 2_600,
};

/** Pages that were written by hand rather than generated. */
const handWritten = pages.filter(
  (page) => !Object.keys(madePages).some((generated) => page === `docs/${generated}`),
);
const writtenForUsers = handWritten.filter((page) => usersPages.includes(page));

const removeCode = (text: string) => text.replaceAll(/^```.*?^```/gms, "");
const countWords = (text: string) => text.trim().split(/\s+/).length;

describe("documentation", () => {
  it.each(handWritten)("describes its subject briefly in %s", (page) => {
    // A bench writes these tables.
    const words = removeCode(read(page)).replace(/^## Measured$.*/ms, "");
    expect(countWords(words)).toBeLessThan(tablesOf[page] ?? WORDS_OF_A_PAGE);
  });

  it("has at most 25 pages for users, which take three hours to read", () => {
    expect(writtenForUsers.length).toBeLessThanOrEqual(25);
    const words = writtenForUsers.reduce((sum, page) => sum + countWords(removeCode(read(page))), 0);
    expect(words).toBeLessThan(36_500);
  });

  it("shows npm pack in the README, and no install from a registry, because no registry has the package yet", () => {
    const installs = /npm (?:install|i) [^`\n]*(?<![\w./-])loyalty-kit(?![\w./-])/;
    expect(pages.filter((page) => installs.test(read(page)))).toEqual([]);
    expect(read("README.md")).toContain("npm pack");
  });

  it("lists every error code with its status and meaning", () => {
    const sections = read("docs/errors.md").split("\n## ").slice(1);
    const documented = sections.flatMap((section) =>
      [...section.matchAll(/\n### (\w+)\n\n(.+)\n/g)].map(([, code = "", meaning]) => [
        code,
        { status: Number.parseInt(section, 10), meaning },
      ]),
    );
    expect(documented).toEqual(
      Object.entries(errorCodes).map(([code, { status, meaning }]) => [code, { status, meaning }]),
    );
  });

  it("has the section that an error of each code links to, in a file of the package", () => {
    const { name, files } = JSON.parse(read("package.json"));
    expect(files).toContain("docs/*.md");
    const sections = listSections(read("docs/errors.md"));
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const [page, section] = new LoyaltyError(createDetail(code)).docs.split("#");
      expect(page).toBe(`${name}/docs/errors.md`);
      expect(sections.filter((each) => each === section)).toEqual([code]);
    }
  });

  it("lists the calls that a client lacks", () => {
    const client = createClient({ url: "https://api.example", token: null });
    const lacking = groups.flatMap((group) =>
      [...buildCallRules(group).keys()]
        .filter((name) => !(name in client[group]))
        .map((name) => `${group}.${name}`),
    );
    const [, sentence = ""] = /\nOnly the library has (.*?)\.\s/s.exec(read("docs/http.md")) ?? [];
    const names = [...sentence.matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => name);
    expect(names.sort()).toEqual(lacking.sort());
  });

  it("states the number of operations in the README", () => {
    expect(read("README.md")).toContain(`${routes.length} operations`);
  });

  it("lists every option of a client", () => {
    const source = readFileSync(join(root, "adapters/http/client/connection.ts"), "utf8");
    const [, fields = ""] = /interface ClientOptions \{(.*?)\n\}/s.exec(source) ?? [];
    const options = [...fields.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name);
    const [, table = ""] = read("docs/http.md").split("### Options of the client\n");
    const [rows = ""] = table.split("\n\nThe client repeats");
    expect(options).toContain("actor");
    expect([...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(options);
  });

  it("includes every picture that it shows in the package", () => {
    const { files } = JSON.parse(read("package.json"));
    const pictures = pages.flatMap((page) =>
      [...read(page).matchAll(/(?:\]\(|src(?:set)?=")([^)"\s#]+\.(?:png|svg|jpg))/g)].map(([, target = ""]) =>
        join(dirname(page), target),
      ),
    );
    expect(pictures.length).toBeGreaterThan(0);
    const isPacked = (path: string) => files.some((folder: string) => path.startsWith(`${folder}/`));
    expect(pictures.filter((path) => !isPacked(path))).toEqual([]);
  });

  it("states which versions of Node.js and SQLite are supported", () => {
    const { engines } = JSON.parse(read("package.json"));
    const [, oldest] =
      /const MIN_VERSION = "([0-9.]+)"/.exec(read("adapters/storage/sqlite/connection/connection.ts")) ?? [];
    const page = read("docs/contributing/versions.md");
    expect(page).toContain(`| Node.js | ${engines.node.replace(">=", "")} and later |`);
    expect(page).toContain(`| SQLite | ${oldest} and later`);
  });

  it("names tests that exist in docs/contributing/bounds.md", () => {
    const lines = read("docs/contributing/bounds.md").split("\n");
    const references = lines.flatMap((line) => [...line.matchAll(/`([\w./-]+)`: ([^|;]+?) *(?=[|;])/g)]);
    expect(references.length).toBeGreaterThan(20);
    for (const [, file = "", title = ""] of references) {
      expect(readFileSync(join(root, "test", `${file}.test.ts`), "utf8"), file).toContain(title);
    }
  });

  it("names the test that covers each attack in docs/contributing/attacks.md", () => {
    const [, attacks = ""] = read("docs/contributing/attacks.md").split("## Past vulnerabilities\n");
    const rows = [...attacks.matchAll(/^\| (?!Attack|---).* \| (.*) \|$/gm)];
    expect(rows.length).toBeGreaterThan(20);
    for (const [row, tests = ""] of rows) {
      const testFiles = [...tests.matchAll(/`([\w./-]+)`/g)].map(([, file = ""]) => `test/${file}.test.ts`);
      expect(testFiles.length > 0 && testFiles.every((file) => existsSync(join(root, file))), row).toBe(true);
    }
  });

  it("names a test for every limit", () => {
    const bounds = listRows("docs/limits.md").map(([what = ""]) =>
      what.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1"),
    );
    expect(bounds.length).toBeGreaterThan(30);
    expect(listRows("docs/contributing/bounds.md").map(([what]) => what)).toEqual(bounds);
    for (const [what, test = ""] of listRows("docs/contributing/bounds.md"))
      expect(test, what).toMatch(/^`[\w./-]+`: ./);
  });

  it("lists every path that a server answers without a token, with its cost and an attack on it", async () => {
    const storage = memoryStorage();
    const loyalty = new LoyaltyService({ storage });
    const pages = createPages(loyalty);
    const wallets = { http: { paths: [], handle: () => Promise.reject(new Error("nobody asks")) } };
    const beside = createServerExtensions(loyalty, {
      ...{ storage, pages, wallets, isHttps: false, rateLimits: false, key: null, onError: () => {} },
      passkeys: "http://localhost:3000",
      oauthIssuer: "http://localhost:3000",
    });
    await loyalty.close();
    const paths = [
      ...beside.flatMap(({ paths, authenticated = [] }) =>
        paths.filter((path) => !authenticated.includes(path)),
      ),
      ...publicPasskeyPaths,
      ...walletPaths,
      ...routes.filter(({ scope }) => scope === null).map(({ path }) => path),
    ];
    const rows = [
      ...read("docs/contributing/attacks.md").matchAll(/^\| `[A-Z, ]+ (\/\S*)` \|.*\| `([^`]+)` \|$/gm),
    ];
    expect(rows.map(([, path]) => path).sort()).toEqual(paths.sort());
    for (const [, path, attack = ""] of rows) expect(Object.keys(attacks), path).toContain(attack);
  });

  it("links to files and sections that exist", () => {
    for (const page of pages) {
      for (const [, link = ""] of read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
        const [file = "", section] = link.split("#");
        const target = file === "" ? page : join(page, "..", file);
        expect(existsSync(join(root, target)), `${page} links to ${link}`).toBe(true);
        if (section !== undefined)
          expect(listSections(read(target)), `${page} links to ${link}`).toContain(section);
      }
    }
  });

  it.each(Object.entries(askedFor))("links from the README to what a shop needs to %s", (_, section) => {
    expect(read("README.md")).toContain(`(docs/${section})`);
  });

  it("names every example in the README, and a test starts each of them", () => {
    const readme = read("README.md");
    const tests = readdirSync(join(root, "test/examples")).map((file) => read(`test/examples/${file}`));
    const programs = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" }).filter(
      // A separate program starts each host in that folder.
      (file) => /\.(ts|sh)$/.test(file) && !partsOfBundle.includes(file) && !file.startsWith("hosts"),
    );
    expect(readme).toContain("(examples/hosts)");
    expect(programs.length).toBeGreaterThan(10);
    for (const program of programs) {
      expect(readme).toContain(`(examples/${program})`);
      expect(
        tests.some((test) => test.includes(`"${program}"`)),
        program,
      ).toBe(true);
    }
  });
});

function createDetail(code: ErrorCode): ErrorDetail {
  switch (code) {
    case "access_denied":
      return { code, scope: "user:read" };
    case "validation_failed":
      return { code, fields: {} };
    case "user_already_exists":
      return { code, conflicts: {} };
    default:
      return { code, params: null };
  }
}

/** Lists the sections of a page, as links name them. */
function listSections(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, "");
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Returns the cells of the table rows on a page, without the header rows. */
function listRows(page: string): string[][] {
  const lines = read(page)
    .split("\n")
    .filter((line) => /^\| (?!What \||Limit \||---)/.test(line));
  return lines.map((line) => line.slice(2, -2).split(" | "));
}
