import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Installation } from "./installed.js";

const MOST_PACKAGES = 10;
const MOST_BYTES = 12_500_000;

/**
 * Maximum size of a bundle of an entry point, in kB of gzip: about a tenth more than its size. A bundle that begins to
 * include unneeded code far exceeds it.
 */
const mostKilobytes: Readonly<Record<string, number>> = {
  "loyalty-kit": 280,
  "loyalty-kit/auth": 60,
  "loyalty-kit/client": 10.5,
  "loyalty-kit/console": 220,
  "loyalty-kit/http": 205,
  "loyalty-kit/joining": 2.5,
  "loyalty-kit/mail": 30,
  "loyalty-kit/memory": 31,
  "loyalty-kit/observability": 13.5,
  "loyalty-kit/pages": 44,
  "loyalty-kit/postgres": 111.5,
  "loyalty-kit/sqlite": 115.5,
  "loyalty-kit/storage": 150,
  "loyalty-kit/testing": 650,
  "loyalty-kit/wallets": 251,
  "loyalty-kit/webhooks": 197,
};

/** Maximum size of a bundle of one name, in kB of gzip. It includes nothing else of its entry point. */
const mostOfOneName: Readonly<Record<string, readonly [entryPoint: string, kilobytes: number]>> = {
  createHttpApi: ["loyalty-kit/http", 195],
  createMetrics: ["loyalty-kit/observability", 11],
  jwtTokens: ["loyalty-kit/auth", 15],
  verifyWebhook: ["loyalty-kit/webhooks", 2],
};

/**
 * Checks the number of packages in an installation and the size of their files. Returns a summary, and what exceeds a
 * limit.
 */
export function weighPackages({ folder, packages }: Installation): {
  told: string;
  wrong: readonly string[];
} {
  const bytes = measureBytes(join(folder, "node_modules"));
  const summary = `${packages.length} packages of ${formatMegabytes(bytes)}`;
  const wrong = [
    ...(packages.length > MOST_PACKAGES
      ? [`${packages.length} packages; at most ${MOST_PACKAGES} may come`]
      : []),
    ...(bytes > MOST_BYTES ? [`${formatMegabytes(bytes)}; it may be ${formatMegabytes(MOST_BYTES)}`] : []),
  ];
  return { told: summary, wrong };
}

/**
 * Bundles each entry point, and single names, with their dependencies except the peers. Returns the names that are too large or
 * have no limit.
 */
export async function findTooLarge(
  { folder }: Installation,
  entryPoints: readonly string[],
  peers: readonly string[],
) {
  const bundles = [
    ...entryPoints.map((name) => ({ name, code: `export * from "${name}";`, most: mostKilobytes[name] })),
    ...Object.entries(mostOfOneName).map(([name, [from, most]]) => {
      return { name, code: `export { ${name} } from "${from}";`, most };
    }),
  ];
  const wrong: string[] = [];
  for (const { name, code, most } of bundles) {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      platform: "node",
      format: "esm",
      external: peers.flatMap((peer) => [peer, `${peer}/*`]),
      logLevel: "silent",
    });
    const kilobytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0) / 1_000;
    if (most === undefined || kilobytes > most) {
      wrong.push(`${name}: ${kilobytes.toFixed(1)} kB of gzip; it may be ${most ?? "what its limit says"}`);
    }
  }
  return wrong;
}

function measureBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => lstatSync(join(folder, path)))
    .filter((found) => found.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(2)} MB`;
}
