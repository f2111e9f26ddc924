import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createEmptyFolder, start } from "../cli/command.js";
import { root } from "./imports.js";

/**
 * Loads the module several times, as a framework does after each change of a file, and prints the number of open
 * handles to the database.
 */
const program = `
  import { readdirSync, readlinkSync } from "node:fs";
  for (let load = 0; load < Number(process.argv[2]); load += 1) {
    const { openLoyalty } = await import("./loyalty.mjs?" + load);
    const { loyalty } = await openLoyalty();
    await loyalty.organization("cafe").tags.list();
  }
  const handles = readdirSync("/proc/self/fd").flatMap((handle) => {
    try {
      return [readlinkSync("/proc/self/fd/" + handle)];
    } catch {
      return []; // the handle of this list
    }
  });
  console.log(handles.filter((path) => path.includes("loyalty.db")).length);
  process.exit();`;

async function countHandles(module: string, loads: number): Promise<number> {
  const folder = createEmptyFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/loyalty-kit"));
  copyFileSync(join(root, "examples/hosts", module), join(folder, "loyalty.mjs"));
  writeFileSync(join(folder, "main.mjs"), program);
  const { code, stdout, stderr } = await start(["main.mjs", String(loads)], {}, folder).exit;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return Number(stdout);
}

it.each(["next/lib/loyalty.js", "react-router/app/loyalty.server.js"])(
  "%s, reloaded after each change in development, retains one service, and leaks no handle",
  async (module) => {
    const once = await countHandles(module, 1);
    expect(once).toBeGreaterThan(0);
    expect(await countHandles(module, 6)).toBe(once);
  },
);
