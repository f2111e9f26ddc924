import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findDriverProblem } from "../../adapters/storage/sqlite/driver/driver.js";
import { createEmptyFolder, start } from "../cli/command.js";

const root = join(import.meta.dirname, "../..");

describe("a driver that isn't made for this Node.js version", () => {
  it("is recognized by the version and engines in its package.json", () => {
    const later = { version: "13.2.0", engines: { node: ">=22" } };
    expect(findDriverProblem(later, "20.19.0")).toBe(
      "better-sqlite3 13.2.0 needs Node.js 22 or later and would crash Node.js 20.19.0; " +
        "use Node.js 22, or run npm install better-sqlite3@12",
    );
    expect(findDriverProblem(later, "22.0.0")).toBe(null);
    const driverPackage = { version: "12.11.1", engines: { node: "20.x || 22.x || 23.x" } };
    for (const node of ["20.19.0", "26.0.0"]) expect(findDriverProblem(driverPackage, node)).toBe(null);
    expect(findDriverProblem({ version: "14.0.0" }, "20.19.0")).toBe(null);
  });

  it("is refused with an error before it is loaded, by each command that opens a file", async () => {
    const folder = createEmptyFolder();
    const modules = join(folder, "node_modules");
    cpSync(join(root, "dist"), join(modules, "loyalty-kit/dist"), { recursive: true });
    cpSync(join(root, "package.json"), join(modules, "loyalty-kit/package.json"));
    for (const name of ["jose", "undici"]) symlinkSync(join(root, "node_modules", name), join(modules, name));
    mkdirSync(join(modules, "better-sqlite3"));
    const manifest = { name: "better-sqlite3", version: "99.0.0", main: "x.js", engines: { node: ">=99" } };
    writeFileSync(join(modules, "better-sqlite3/package.json"), JSON.stringify(manifest));
    const crashing = "module.exports = class { constructor() { process.kill(process.pid, 'SIGSEGV'); } };";
    writeFileSync(join(modules, "better-sqlite3/x.js"), crashing);
    writeFileSync(join(folder, "x.db"), "");
    const cli = join(modules, "loyalty-kit/dist/cli.js");
    for (const command of [["migrate"], ["serve"], ["backup", "copy.db"], ["doctor"]]) {
      const { code, stdout, stderr } = await start([cli, ...command, "--database", "x.db"], {}, folder).exit;
      expect(code).toBe(1);
      expect(stdout + stderr).toContain("better-sqlite3 99.0.0 needs Node.js 99 or later and would crash");
    }
  });
});
