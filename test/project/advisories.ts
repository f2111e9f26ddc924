import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { listBundledPackages } from "../../packaging/bundled-packages.js";
import { root } from "./imports.js";

/*
 * Checks what a host installs, and what the built files contain, against the advisories of the registry: `npm run
 * advisories`. It fails for high and critical ones, and if the registry fails. It passes if the registry offers no
 * advisories, as many mirrors do.
 */

const reportSchema = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), nodes: z.array(z.string()) }),
  ),
});

/** The response of a registry that doesn't offer advisories. */
const refusalSchema = z.object({
  uri: z.string().includes("/advisories/"),
  statusCode: z.literal([400, 404, 405, 410, 501]),
});

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), name: z.string().optional(), dev: z.boolean().optional() }),
  ),
});

const { packages } = lockSchema.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
const bundled = new Set((await listBundledPackages(root)).map(({ name, version }) => `${name}@${version}`));

/** Whether a package reaches a host, either installed with ours or bundled in its files. */
function isShipped(folder: string): boolean {
  const found = packages[folder];
  const name = found?.name ?? folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  return found?.dev !== true || bundled.has(`${name}@${found.version}`);
}

const { stdout } = spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8" });
const report = reportSchema.safeParse(tryParse(stdout));
if (report.success) {
  const bad = Object.entries(report.data.vulnerabilities).filter(
    ([, { severity, nodes }]) => ["high", "critical"].includes(severity) && nodes.some(isShipped),
  );
  for (const [name, { severity, range }] of bad) console.error(`${name} ${range}: ${severity}`);
  console.log(`${bad.length} advisories of high or critical severity.`);
  if (bad.length > 0) process.exitCode = 1;
} else if (refusalSchema.safeParse(tryParse(stdout)).success) {
  console.log("The registry offers no advisories: nothing was checked.");
} else {
  console.error("The advisories could not be read: nothing was checked.");
  process.exitCode = 1;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
