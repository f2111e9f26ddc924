import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { findInstalledFile } from "../../adapters/setup/installed-file.js";

it("findInstalledFile finds a file of an installed package at run time", () => {
  expect(existsSync(findInstalledFile("better-sqlite3/package.json"))).toBe(true);
  expect(() => findInstalledFile("no-such-package")).toThrow("Cannot find module 'no-such-package'");
});
