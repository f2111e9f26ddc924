import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyPackage } from "./next.js";
import { installOptions, type PackedPackage } from "./packed.js";

const run = promisify(execFile);

const packages = ["jest@30", "ts-jest@29", "typescript@5.9", "@types/jest@30", "@types/node@20"];

/** The configuration that `ts-jest config:init` writes. */
const config = `
const { createDefaultPreset } = require("ts-jest");
module.exports = { testEnvironment: "node", transform: createDefaultPreset().transform };`;

/** Compiler options as in a new NestJS project, whose files are CommonJS. */
const compiler = {
  module: "nodenext",
  target: "es2023",
  strict: true,
  types: ["jest", "node"],
  noEmit: true,
};

const test = `
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLoyaltyError, LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { testLoyalty } from "loyalty-kit/testing";

const file = () => join(mkdtempSync(join(tmpdir(), "loyalty-kit-")), "loyalty.db");
const storages: [string, () => StorageAdapter | Promise<StorageAdapter>][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage(file())],
];

test.each(storages)("a card is full after ten stamps, in %s", async (_, open) => {
  const loyalty = new LoyaltyService({ storage: await open() });
  const { templates, passes, stamps, users } = loyalty.organization("acme");
  const { id } = await templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const pass = await passes.create(id, { user: { email: "ada@example.com" } });
  expect((await stamps.add(pass.id, { count: 10 })).completions).toBe(1);
  expect(isLoyaltyError(await users.get("nobody").catch((error: unknown) => error))).toBe(true);
  await loyalty.close();
});

test("a service with a test clock serves the console", async () => {
  const clock = await testLoyalty({ at: "2026-03-01T09:00", timeZone: "Europe/Vienna" });
  const { loyalty } = clock;
  const extensions = [createConsole(loyalty)];
  const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), extensions });
  expect((await api.fetch(new Request("http://localhost/console"))).status).toBe(200);
  await clock.close();
});`;

/** Runs the tests of a host with the defaults of Jest, which loads only CommonJS, and compiles them. */
export async function findJestProblems(folder: string, { file }: PackedPackage): Promise<readonly string[]> {
  const cwd = join(folder, "jest");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), '{ "name": "host", "private": true }');
  writeFileSync(join(cwd, "jest.config.js"), config);
  writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions: compiler }));
  writeFileSync(join(cwd, "loyalty.test.ts"), test);
  try {
    await run("npm", ["install", ...installOptions, file, ...packages], { cwd });
    for (const name of ["better-sqlite3", "bindings", "file-uri-to-path", "@types/better-sqlite3"])
      copyPackage(name, cwd);
    const { stderr } = await run(process.execPath, ["node_modules/jest/bin/jest.js"], { cwd });
    await run(process.execPath, ["node_modules/typescript/bin/tsc"], { cwd });
    return /3 passed, 3 total/.test(stderr) ? [] : [`a host's tests in Jest:\n${stderr}`];
  } catch (error) {
    return [`a host's tests in Jest: ${error}`];
  }
}
