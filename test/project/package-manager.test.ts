import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildCommand, installCommand } from "../../adapters/setup/package-manager.js";
import { missingBuildError } from "../../adapters/storage/sqlite/driver/driver.js";

/** Creates an installation with these files, and returns the path of the package's command in it. */
function createInstallation(files: readonly string[], modules = "node_modules"): string {
  const place = mkdtempSync(join(tmpdir(), "package-manager-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  mkdirSync(join(place, "lib"));
  for (const file of files) writeFileSync(join(place, "lib", file), "");
  return join(place, "lib", modules, "loyalty-kit/dist/cli.js");
}

describe("the command that installs a package beside this one", () => {
  it("is global if npm installed this package globally, because it wouldn't find a package of one project", () => {
    expect(installCommand(createInstallation([]))).toBe("npm install --global");
  });

  it("is local in a project and in a checkout", () => {
    expect(installCommand(createInstallation(["package.json"]))).toBe("npm install");
    expect(installCommand()).toBe("npm install");
  });

  it("is the plain one in a bundle, which doesn't know the folder of the package", () => {
    expect(installCommand("")).toBe("npm install");
    expect(installCommand("/srv/shop/server.mjs")).toBe("npm install");
  });

  it.each([
    [
      "pnpm add",
      "node_modules/.pnpm/loyalty-kit@0.1.0_better-sqlite3@12.11.1/node_modules",
      ["package.json"],
    ],
    ["pnpm add", "node_modules", ["package.json", "pnpm-lock.yaml"]],
    ["bun add", "node_modules/.bun/loyalty-kit@0.1.0/node_modules", ["package.json"]],
    ["bun add", "node_modules", ["package.json", "bun.lock"]],
    ["yarn add", "node_modules", ["package.json", "yarn.lock"]],
    ["yarn add", ".yarn/cache/loyalty-kit-npm-0.1.0.zip/node_modules", ["package.json"]],
    ["npm install", "node_modules", ["package.json", "package-lock.json"]],
  ])("is %s below %s beside %j", (command, modules, files) => {
    expect(installCommand(createInstallation(files, modules))).toBe(command);
  });
});

it.each([
  "Could not locate the bindings file. Tried:\n → /app/node_modules/better-sqlite3/build/better_sqlite3.node",
  "The module was compiled against a different Node.js version using NODE_MODULE_VERSION 115.",
])("a driver without a compiled binary is reported in one line: %s", (message) => {
  expect(missingBuildError(new Error(message))?.message).toBe(
    "better-sqlite3 has no compiled binary for this Node.js version: npm rebuild better-sqlite3",
  );
  expect(missingBuildError(new Error("unable to open database file"))).toBeNull();
});

it("a driver without a compiled binary is reported without the paths that were tried, even in its cause", () => {
  const message =
    "Could not locate the bindings file. Tried:\n → /app/node_modules/better-sqlite3/build/better_sqlite3.node";
  expect(inspect(missingBuildError(new Error(message)))).not.toContain("/app/");
});

it("a package whose install script was blocked is built by the command of its package manager", () => {
  const detectCommand = (lockfile: string) =>
    buildCommand("better-sqlite3", createInstallation(["package.json", lockfile]));
  expect(detectCommand("package-lock.json")).toBe("npm rebuild better-sqlite3");
  expect(detectCommand("pnpm-lock.yaml")).toBe(
    "pnpm approve-builds, choose better-sqlite3, and pnpm rebuild better-sqlite3",
  );
  expect(detectCommand("yarn.lock")).toMatch(/dependenciesMeta.*better-sqlite3.*built.*yarn install/);
  expect(detectCommand("bun.lock")).toBe("bun pm trust better-sqlite3");
});
