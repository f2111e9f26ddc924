import { spawnSync } from "node:child_process";
import { z } from "zod";

/*
 * Checks what the lockfile installs against the advisories that the registry knows, and fails for high and critical ones.
 * A registry without them (many mirrors) is no reason to fail, one that fails is: `npm run advisories`.
 */

const reportSchema = z.object({
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string(), range: z.string() })),
});

/** A registry that does not know the question. */
const refusalSchema = z.object({
  uri: z.string().includes("/advisories/"),
  statusCode: z.literal([400, 404, 405, 410, 501]),
});

const { stdout } = spawnSync("npm", ["audit", "--json", "--omit=dev"], { encoding: "utf8" });
const report = reportSchema.safeParse(parsed(stdout));
if (report.success) {
  const bad = Object.entries(report.data.vulnerabilities).filter(([, { severity }]) =>
    ["high", "critical"].includes(severity),
  );
  for (const [name, { severity, range }] of bad) console.error(`${name} ${range}: ${severity}`);
  console.log(`${bad.length} advisories of high or critical severity.`);
  if (bad.length > 0) process.exitCode = 1;
} else if (refusalSchema.safeParse(parsed(stdout)).success) {
  console.log("The registry offers no advisories: nothing was checked.");
} else {
  console.error("The advisories could not be read: nothing was checked.");
  process.exitCode = 1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
