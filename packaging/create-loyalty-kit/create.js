#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/* "npm create loyalty-kit my-cafe" runs this, which is "loyalty-kit create my-cafe". */
const require = createRequire(import.meta.url);
const manifest = require.resolve("loyalty-kit/package.json");
const program = join(dirname(manifest), require(manifest).bin["loyalty-kit"]);
const { status } = spawnSync(process.execPath, [program, "create", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
