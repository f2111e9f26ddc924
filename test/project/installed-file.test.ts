import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { findInstalledFile } from "../../adapters/setup/installed-file.js";

it("a file of an installed package is found when the program runs", () => {
  expect(existsSync(findInstalledFile("better-sqlite3/package.json"))).toBe(true);
  expect(() => findInstalledFile("no-such-package")).toThrow("Cannot find module 'no-such-package'");
});
