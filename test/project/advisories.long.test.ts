import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmptyFolder } from "../cli/command.js";

const root = join(import.meta.dirname, "../..");
const { packages }: { packages: Record<string, { name?: string; version: string }> } = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8"),
);

/** Returns a registry's record of a package, in which npm looks up the versions that an advisory affects. */
function createPackument(name: string) {
  const found = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
  const versions = found.map(([, { version, ...rest }]) => [version, { ...rest, name, version }] as const);
  return { name, "dist-tags": { latest: versions[0]?.[0] }, versions: Object.fromEntries(versions) };
}

/** Runs the check against a registry that returns these advisories or, if they are `null`, this error status. */
async function runAudit(advisories: Readonly<Record<string, unknown>> | null, refusal = 405) {
  const registry = createServer((request, response) => {
    request.resume();
    const isAsked = request.method === "POST" && request.url?.includes("/advisories/bulk");
    const answer = isAsked
      ? advisories
      : request.method === "GET"
        ? createPackument(getName(request.url))
        : null;
    if (answer === null) response.writeHead(refusal).end("{}");
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void registry.close());
  await once(registry, "listening");
  const { port } = registry.address() as AddressInfo;
  const env = {
    ...process.env,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_fetch_retries: "0",
    // npm caches advisories by their number.
    npm_config_cache: createEmptyFolder(),
  };
  const check = spawn(process.execPath, ["--import", "tsx", "test/project/advisories.ts"], {
    cwd: root,
    env,
  });
  let output = "";
  for (const stream of [check.stdout, check.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [code] = await once(check, "close");
  return { code, told: output };
}

function getName(url = "/"): string {
  return decodeURIComponent(url.slice(1));
}

const createAdvisory = (severity: string, name = "zod") => ({
  [name]: [
    { id: 1, url: "https://advisories.example/1", title: "Broken", severity, vulnerable_versions: "<99" },
  ],
});

describe("the check against known advisories", () => {
  it("passes, and reports that nothing was checked, if the registry offers no advisories", async () => {
    const { code, told } = await runAudit(null);
    expect([code, told]).toEqual([0, "The registry offers no advisories: nothing was checked.\n"]);
  });

  it("fails if the registry fails, because nothing was checked then", async () => {
    const { code, told } = await runAudit(null, 500);
    expect([code, told]).toEqual([1, "The advisories could not be read: nothing was checked.\n"]);
  });

  it("fails for an advisory of high severity, and names the package", async () => {
    const { code, told } = await runAudit(createAdvisory("high"));
    expect([code, told]).toEqual([1, expect.stringMatching(/^zod .*: high$/m)]);
  });

  it.each(["undici", "ipaddr.js"])("fails for %s, which is installed or bundled", async (name) => {
    const { code, told } = await runAudit(createAdvisory("critical", name));
    expect([code, told]).toEqual([1, expect.stringMatching(new RegExp(`^${name} .*: critical$`, "m"))]);
  });

  it("passes with an advisory for a package that no host gets", async () => {
    expect((await runAudit(createAdvisory("high", "vitest"))).code).toBe(0);
  });

  it("passes with an advisory of low severity, and with none", async () => {
    expect((await runAudit(createAdvisory("low"))).code).toBe(0);
    expect(await runAudit({})).toEqual({
      code: 0,
      told: "0 advisories of high or critical severity.\n",
    });
  });
});
