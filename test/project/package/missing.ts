import { spawnSync } from "node:child_process";
import { build } from "esbuild";
import { type PeerName, peers } from "../../../adapters/setup/peers.js";
import type { Installation } from "./installed.js";

/** The call that first needs an optional package. */
const calls: Partial<Readonly<Record<PeerName, string>>> = {
  "better-sqlite3": 'import("loyalty-kit/sqlite").then(({ sqliteStorage }) => sqliteStorage("cafe.db"))',
  pg: 'import("loyalty-kit/postgres").then(({ postgresStorage }) => postgresStorage("postgres://localhost/cafe"))',
  "@opentelemetry/api": 'import("loyalty-kit/observability").then(({ openTelemetry }) => openTelemetry())',
  "@simplewebauthn/server":
    'Promise.all([import("loyalty-kit"), import("loyalty-kit/memory"), import("loyalty-kit/console")]).then(([{ LoyaltyService }, { memoryStorage }, { createConsole }]) => createConsole(new LoyaltyService({ storage: memoryStorage() }), { passkeys: "https://shop.example" }))',
  "smtp-server": 'import("loyalty-kit/testing").then(({ createFakeMail }) => createFakeMail())',
};

/**
 * Makes each call without its optional package. The error must name the command that installs it, with Node's error as
 * cause.
 */
export function findMissingProblems({ folder }: Installation): readonly string[] {
  return Object.entries(calls).flatMap(([name, call]) => {
    const { neededBy, install } = Object.entries(peers).find(([peer]) => peer === name)?.[1] ?? {};
    const program = `await ${call}.catch(({ message, cause }) => console.log(message, cause.code));`;
    const args = ["--input-type=module", "--eval", program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    const expectedMessage = `${neededBy} needs ${name}: npm install ${install}`;
    const isTold = [
      `${expectedMessage} ERR_MODULE_NOT_FOUND\n`,
      `${expectedMessage} MODULE_NOT_FOUND\n`,
    ].includes(stdout);
    return isTold ? [] : [`${name} is missing, and the call says:\n${stdout}${stderr}`];
  });
}

/** Checks that a bundler finds each of these packages. Otherwise it could neither bundle nor exclude them. */
export async function findUnseenProblems({ folder }: Installation): Promise<readonly string[]> {
  const found = Object.keys(calls).map(async (name) => {
    const [, { neededBy }] = Object.entries(peers).find(([peer]) => peer === name) ?? ["", { neededBy: "" }];
    const { metafile } = await build({
      stdin: { contents: `export * from "${neededBy}";`, resolveDir: folder },
      ...{ bundle: true, write: false, metafile: true, platform: "node", format: "esm", logLevel: "silent" },
      external: Object.keys(peers),
    });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    return imports.some(({ path }) => path === name)
      ? []
      : [`a bundler does not find ${name} of ${neededBy}`];
  });
  return (await Promise.all(found)).flat();
}

/** Bundles each entry point without optional packages, which code that doesn't call them must not need. */
export async function findUnbundledProblems(
  { folder }: Installation,
  entryPoints: readonly string[],
): Promise<readonly string[]> {
  const bundled = entryPoints.map((name) =>
    build({
      stdin: { contents: `export * from "${name}";`, resolveDir: folder },
      ...{ bundle: true, write: false, platform: "node", format: "esm", logLevel: "silent" },
    }).then(
      () => [],
      (error: unknown) => [`${name} can't be bundled without optional packages: ${error}`],
    ),
  );
  return (await Promise.all(bundled)).flat();
}
