import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { LoyaltyService, scopes } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createFakeMail, createFakePki } from "loyalty-kit/testing";
import { afterAll, describe, expect, it } from "vitest";
import {
  diagnoseClocks,
  diagnoseDatabaseState,
  diagnoseDisk,
} from "../../adapters/apps/cli/doctor/database.js";
import { diagnoseRuntime } from "../../adapters/apps/cli/doctor/diagnose.js";
import { createPlace } from "../postgres/place.js";
import { createEmptyFolder, runLoyaltyKit, startServer } from "./command.js";
import { createDatabase } from "./new-database.js";

const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));

const writeFile = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const secrets = { LOYALTY_SECRET_KEYS: "secret".repeat(6) };
const publicly = ["--public-url", "https://shop.example", "--trusted-proxy", "loopback"];

const runDoctor = (database: string, args: readonly string[] = [], environment = {}) =>
  runLoyaltyKit(["doctor", "--database", database, ...args], { ...secrets, ...environment });

/** Returns the lines of one part, without the part's name. */
const parseLines = ({ stdout }: { readonly stdout: string }, part: string) =>
  stdout.split("\n").flatMap((line) => {
    const [state = "", name, ...words] = line.split(": ");
    return name === part ? [`${state}: ${words.join(": ")}`] : [];
  });

/** Reads all files of a folder, with their metadata. */
const readContents = (path: string) =>
  readdirSync(path).map((name) => {
    const { mtimeMs, mode } = statSync(join(path, name));
    return { name, mtimeMs, mode, bytes: readFileSync(join(path, name)).toString("base64") };
  });

describe.concurrent("loyalty-kit doctor", () => {
  it("reports that everything is ok, with a line for each part, and exits with 0", async () => {
    const found = await runDoctor(await createDatabase(), publicly);
    expect(found).toMatchObject({ code: 0, stderr: "" });
    for (const line of found.stdout.trim().split("\n"))
      expect(line).toMatch(/^(?:ok: \w+: .|off: (?:apple|google|mail): not configured$)/);
    for (const part of ["runtime", "database", "settings", "apple", "google", "mail", "clock", "disk"])
      expect(parseLines(found, part), part).not.toEqual([]);
    expect(parseLines(found, "runtime")).toEqual([`ok: Node.js ${process.versions.node}`]);
  });

  it("warns if no worker thread can start, and gives the cause", async () => {
    const failingWorker = `
      const threads = process.getBuiltinModule("node:worker_threads");
      threads.Worker = class extends threads.Worker {
        constructor(program, options) {
          if (options?.eval) throw new Error("no threads here");
          super(program, options);
        }
      };
      process.getBuiltinModule("node:module").syncBuiltinESMExports();`;
    const environment = {
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(failingWorker)}`,
    };
    const found = await runDoctor(await createDatabase(), publicly, environment);
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(parseLines(found, "runtime")).toEqual([
      `ok: Node.js ${process.versions.node}`,
      "warning: SQLite checkpoints block the event loop, because a worker thread can't start: no threads here",
    ]);
  });

  it("reports a clock that is behind the newest event, and so does a server in its log", async () => {
    const file = join(folder, "from-the-future.db");
    const readTomorrow = () => Date.now() + 86_400_000;
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), clock: readTomorrow });
    await loyalty.organization("acme").users.create({ email: "ada@example.com" });
    await loyalty.close();
    const clockWarning =
      /the newest event \(.+\) is later than the system clock \(.+\); synchronize the clock, for example with NTP/;
    expect(parseLines(await runDoctor(file), "clock")).toEqual([expect.stringMatching(clockWarning)]);
    const { process, exit } = await startServer(["--database", file]);
    process.kill("SIGTERM");
    expect((await exit).stderr).toMatch(
      new RegExp(`^loyalty-kit: clock: problem: ${clockWarning.source}$`, "m"),
    );
  });

  it("changes nothing, whether the database is idle, in use, or left by a killed process", async () => {
    const file = await createDatabase();
    const folderPath = join(file, "..");
    const filesAtRest = readContents(folderPath);
    expect(parseLines(await runDoctor(file), "clock")).toEqual(["ok: no events are dated in the future"]);
    expect(readContents(folderPath)).toEqual(filesAtRest);

    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
    await loyalty.organization("acme").users.create({ email: "ada@example.com" });
    const filesInUse = readContents(folderPath).filter(({ name }) => !name.endsWith("-shm"));
    expect((await runDoctor(file)).code).toBe(0);
    expect(readContents(folderPath).filter(({ name }) => !name.endsWith("-shm"))).toEqual(filesInUse);

    const killedFolder = createEmptyFolder();
    for (const { name, bytes } of filesInUse)
      writeFileSync(join(killedFolder, name), Buffer.from(bytes, "base64"));
    await loyalty.close();
    const filesOfKilled = readContents(killedFolder);
    expect((await runDoctor(join(killedFolder, "loyalty.db"))).code).toBe(0);
    expect(readContents(killedFolder).filter(({ name }) => !name.endsWith("-shm"))).toEqual(filesOfKilled);
  });

  it("doesn't create a missing database, and names the commands that do", async () => {
    const file = join(createEmptyFolder(), "shop.db");
    const found = await runDoctor(file);
    expect(found.code).toBe(0);
    expect(parseLines(found, "database")[1]).toBe(
      `warning: database ${file} doesn't exist yet; to create it, run serve or "loyalty-kit migrate --database ${file}"`,
    );
    expect(readdirSync(join(file, ".."))).toEqual([]);
    const nowhere = await runDoctor(join(file, "../gone/shop.db"));
    expect(nowhere).toMatchObject({ code: 1, stderr: "loyalty-kit: found 1 problem\n" });
    expect(parseLines(nowhere, "disk")).toEqual([
      expect.stringMatching(/^problem: folder .*gone doesn't exist; create it/),
    ]);
  });

  it("reports tables of another release, and a file that isn't a database", async () => {
    const file = await createDatabase();
    const database = new Database(file);
    database.exec(
      "update loyalty_migrations set version = 9999 where version = (select max(version) from loyalty_migrations)",
    );
    database.close();
    const later = await runDoctor(file);
    expect(later).toMatchObject({ code: 1, stderr: "loyalty-kit: found 1 problem\n" });
    expect(parseLines(later, "database")[1]).toMatch(/^problem: .* is at schema version 9999/);
    const other = writeFile(
      "notes.txt",
      "no database at all, and longer than a header of one would be".repeat(20),
    );
    expect(parseLines(await runDoctor(other), "database")).toEqual([
      `problem: can't open the database ${other}: file is not a database`,
    ]);
    expect(parseLines(await runDoctor(other), "disk")).toEqual([
      expect.stringMatching(/^ok: .*, and its disk has .* free$/),
    ]);
  });

  it("checks Postgres, and reports an unreachable server without its password", async () => {
    const database = await createPlace();
    try {
      const empty = await runDoctor(database.url);
      expect(parseLines(empty, "database")).toEqual([
        expect.stringMatching(/^ok: Postgres \d/),
        expect.stringContaining("has no loyalty-kit tables yet"),
      ]);
      expect((await runLoyaltyKit(["migrate", "--database", database.url])).code).toBe(0);
      const found = await runDoctor(database.url);
      expect(found.code).toBe(0);
      expect(parseLines(found, "database")[1]).toMatch(/^ok: .* is at schema version \d+$/);
      expect(parseLines(found, "disk")).toEqual([]);
    } finally {
      await database.remove();
    }
    const unreachable = await runDoctor("postgres://me:geheim@127.0.0.1:1/shop");
    expect(unreachable.code).toBe(1);
    expect(parseLines(unreachable, "database")[0]).toContain("ECONNREFUSED");
    expect(unreachable.stdout).not.toContain("geheim");
  });

  it("reports settings that don't fit, each with a fix", async () => {
    const file = await createDatabase();
    const readSettingsLines = async (args: readonly string[], environment = {}) =>
      parseLines(await runDoctor(file, args, environment), "settings");
    expect(await readSettingsLines([])).toEqual([
      "warning: QR codes won't work for customers because they link to http://127.0.0.1:3000/c, which works only on this machine; set --public-url",
    ]);
    const issuer = ["--oauth-issuer", "https://shop.example"];
    const behindNothing = ["--public-url", "https://shop.example", "--webhooks-allow-loopback", ...issuer];
    expect(await readSettingsLines(behindNothing, { LOYALTY_SECRET_KEYS: "" })).toEqual([
      expect.stringMatching(/^warning: .* set --trusted-proxy/),
      expect.stringMatching(/^warning: secrets are stored unencrypted; set LOYALTY_SECRET_KEYS/),
      expect.stringMatching(/^warning: .* set the same LOYALTY_OAUTH_KEY in all of them; /),
      expect.stringMatching(/^warning: --webhooks-allow-loopback .* use it only for development$/),
    ]);
    const plain = ["--public-url", "http://shop.example", "--metrics-port", "3000"];
    expect(
      await readSettingsLines(plain, { LOYALTY_SECRET_KEYS: "short", LOYALTY_OAUTH_KEY: "short" }),
    ).toEqual([
      expect.stringMatching(/^problem: the public URL must be https/),
      expect.stringMatching(/^problem: each key in the environment variable LOYALTY_SECRET_KEYS must/),
      expect.stringMatching(/^problem: the environment variable LOYALTY_OAUTH_KEY must/),
      "problem: --port and --metrics-port are both 3000; use different ports",
    ]);
    const environment = { LOYALTY_PUBLIC_URL: "https://shop.example", LOYALTY_TRUSTED_PROXY: "loopback" };
    expect(await readSettingsLines([], environment)).toEqual(["ok: no conflicting settings"]);
  });

  it("reports wallet certificates and when they expire", async () => {
    const file = await createDatabase();
    const pki = createFakePki();
    const walletArgs = (certificate: string) => [
      ...[...publicly, "--apple-certificate", writeFile(`${certificate.length}.pem`, certificate)],
      ...[
        "--apple-key",
        writeFile("pass.key", pki.pass.key),
        "--apple-wwdr",
        writeFile("wwdr.pem", pki.wwdr),
      ],
    ];
    const good = parseLines(await runDoctor(file, walletArgs(pki.pass.certificate)), "apple");
    expect(good).toContainEqual(
      expect.stringMatching(/^ok: the certificate is valid until \d{4}-\d\d-\d\d$/),
    );
    const expiredLines = parseLines(
      await runDoctor(file, walletArgs(`${pki.expired.certificate}\n`)),
      "apple",
    );
    expect(expiredLines).toContainEqual(
      expect.stringContaining("problem: Apple's certificate of the pass type expired on"),
    );
    const missingLines = await runDoctor(file, [...publicly, "--apple-key", join(folder, "pass.key")]);
    expect(missingLines.code).toBe(1);
    expect(parseLines(missingLines, "wallets")).toEqual([
      "problem: Apple Wallet passes also require --apple-certificate",
    ]);
  });

  it("checks the mail server, and warns if mails aren't signed with DKIM", async () => {
    const file = await createDatabase();
    const fake = await createFakeMail();
    const mail = ["--mail-from", "cafe@shop.example", "--smtp-url"];
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = writeFile("dkim.pem", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    const url = `${fake.url}?tls=off`;
    const dkimArgs = ["--mail-dkim-key", key, "--mail-dkim-selector", "s1"];
    const unsignedLines = parseLines(await runDoctor(file, [...publicly, ...mail, url]), "mail");
    expect(unsignedLines.join()).toContain("warning: emails aren't signed with DKIM here");
    expect(parseLines(await runDoctor(file, [...publicly, ...mail, url, ...dkimArgs]), "mail")).toEqual([
      "ok: the mail server accepts emails, and they are signed with DKIM",
    ]);
    expect(fake.mails).toEqual([]);
    await fake.close();
    const free = await findClosedPort();
    const unreachableLines = parseLines(
      await runDoctor(file, [...publicly, ...mail, `smtp://localhost:${free}`]),
      "mail",
    );
    expect(unreachableLines.join()).toMatch(/problem: the mail server localhost:\d+ can't be reached/);
  });

  it("shows an operator the same findings in a running server's console, and responds to others with 404", async () => {
    const file = await createDatabase();
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
    const { apiTokens } = loyalty.organization("acme");
    const operator = await apiTokens.create({ name: "operator", scopes: ["user:read"] });
    const owner = await apiTokens.create({ name: "owner", scopes: [...scopes] });
    await loyalty.close();
    const operators = ["--operators", `ada@shop.example, ${operator.apiToken.id}`];
    const { url } = await startServer(["--database", file, "--port", "0", ...operators], secrets);
    const readCheck = async ({ token }: { readonly token: string }) => {
      const headers = { origin: url, "x-loyalty-console": "1" };
      const body = new URLSearchParams({ token });
      const signedIn = await fetch(`${url}/console`, { method: "POST", headers, body, redirect: "manual" });
      const cookie = signedIn.headers.get("set-cookie") ?? "";
      return fetch(`${url}/console/server/check`, { headers: { ...headers, cookie } });
    };
    const { findings } = JSON.parse(await (await readCheck(operator)).text());
    const { stdout } = await runDoctor(file, ["--port", "0", "--json"]);
    // The free disk space changes all the time.
    const withoutDisk = (each: { readonly part: string }) => each.part !== "disk";
    expect(findings.filter(withoutDisk)).toEqual(JSON.parse(stdout).diagnoses.filter(withoutDisk));
    expect((await readCheck(owner)).status).toBe(404);
  });

  it("prints the same findings as JSON", async () => {
    const found = await runDoctor(await createDatabase(), [...publicly, "--json"]);
    const { diagnoses } = JSON.parse(found.stdout);
    expect(diagnoses).toContainEqual({
      part: "runtime",
      state: "ok",
      message: `Node.js ${process.versions.node}`,
    });
  });
});

/** Finds a port that no server listens on. */
async function findClosedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return address.port;
}

describe("the doctor's rules", () => {
  const found = { kind: "SQLite", clockSkewMs: null };
  const tables = { version: 3, needed: 3, newestEventAt: null };
  const formatDiagnoses = (diagnoses: readonly { readonly state: string; readonly message: string }[]) =>
    diagnoses.map(({ state, message }) => `${state}: ${message}`).join("\n");

  it("accept Node.js from the first version that the package names", () => {
    expect(formatDiagnoses(diagnoseRuntime("20.19.0"))).toBe("ok: Node.js 20.19.0");
    expect(formatDiagnoses(diagnoseRuntime("26.0.0"))).toBe("ok: Node.js 26.0.0");
    for (const old of ["18.20.8", "20.18.3"])
      expect(formatDiagnoses(diagnoseRuntime(old))).toContain("problem: Node.js");
  });

  it("warn about tables that need a migration", () => {
    const previousFindings = { ...found, tables: { ...tables, version: 2 } };
    expect(formatDiagnoses(diagnoseDatabaseState(previousFindings, "x.db"))).toContain(
      "warning: x.db is at schema version 2",
    );
  });

  it("report a clock as wrong if the newest event is more than a minute in the future", () => {
    const at = Date.UTC(2026, 0, 1);
    const diagnoseClock = (newestEventAt: number | null, clockSkewMs: number | null = null) =>
      diagnoseClocks({ ...found, clockSkewMs, tables: { ...tables, newestEventAt } }, at).map(
        ({ state }) => state,
      );
    expect(diagnoseClock(null)).toEqual(["ok"]);
    expect(diagnoseClock(at + 60_000)).toEqual(["ok"]);
    expect(diagnoseClock(at + 60_001)).toEqual(["problem"]);
    expect(diagnoseClock(at, -10_001)).toEqual(["warning"]);
    expect(diagnoseClock(at, 10_000)).toEqual(["ok"]);
  });

  it("report a full disk, too little room for a backup, and a large write-ahead log", () => {
    const [mb, gb] = [1e6, 1e9];
    const listStates = (freeBytes: number, fileBytes: number, logBytes: number) =>
      diagnoseDisk({ freeBytes, fileBytes, logBytes }).map(({ state }) => state);
    expect(listStates(5 * gb, gb, mb)).toEqual(["ok"]);
    expect(listStates(99 * mb, mb, 0)).toEqual(["problem"]);
    expect(listStates(gb, 2 * gb, 0)).toEqual(["warning"]);
    expect(formatDiagnoses(diagnoseDisk({ freeBytes: 9 * gb, fileBytes: gb, logBytes: gb }))).toContain(
      "the write-ahead log is 1000 MB",
    );
  });
});
