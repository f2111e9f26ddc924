import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Installed } from "./installed.js";

const MOST_PACKAGES = 10;
const MOST_BYTES = 11_300_000;

/**
 * What a bundle of an entry point may weigh, in kB of gzip: about a tenth more than it does.
 * One that begins to bundle what it has no need of goes far beyond.
 */
const mostKilobytes: Readonly<Record<string, number>> = {
  "loyalty-kit": 260,
  "loyalty-kit/checking": 139,
  "loyalty-kit/client": 9.5,
  "loyalty-kit/console": 187,
  "loyalty-kit/copying": 26,
  "loyalty-kit/express": 2,
  "loyalty-kit/fastify": 2,
  "loyalty-kit/http": 171,
  "loyalty-kit/joining": 2.5,
  "loyalty-kit/jwt": 12.5,
  "loyalty-kit/mail": 27,
  "loyalty-kit/mail/testing": 5,
  "loyalty-kit/memory": 25.5,
  "loyalty-kit/metrics": 11,
  "loyalty-kit/oauth": 50,
  "loyalty-kit/opentelemetry": 1,
  "loyalty-kit/pages": 41,
  "loyalty-kit/postgres": 111.5,
  "loyalty-kit/rate-limits": 7,
  "loyalty-kit/sqlite": 115.5,
  "loyalty-kit/test-clock": 585,
  "loyalty-kit/testing": 80.5,
  "loyalty-kit/wallets": 249,
  "loyalty-kit/wallets/testing": 16,
  "loyalty-kit/webhook-worker": 195,
  "loyalty-kit/webhooks": 2,
};

/** Checks how many packages an installation has, and how many bytes their files. @returns what it found, and what is wrong. */
export function weighed({ folder, packages }: Installed): { told: string; wrong: readonly string[] } {
  const bytes = bytesIn(join(folder, "node_modules"));
  const told = `${packages.length} packages of ${megabytes(bytes)}`;
  const wrong = [
    ...(packages.length > MOST_PACKAGES
      ? [`${packages.length} packages; at most ${MOST_PACKAGES} may come`]
      : []),
    ...(bytes > MOST_BYTES ? [`${megabytes(bytes)}; it may be ${megabytes(MOST_BYTES)}`] : []),
  ];
  return { told, wrong };
}

/** Bundles each entry point for itself, with what it needs but the peers. @returns what is too large, or has no limit. */
export async function tooLarge(
  { folder }: Installed,
  entryPoints: readonly string[],
  peers: readonly string[],
) {
  const wrong: string[] = [];
  for (const name of entryPoints) {
    const { outputFiles } = await build({
      stdin: { contents: `export * from "${name}";`, resolveDir: folder },
      bundle: true,
      minify: true,
      write: false,
      platform: "node",
      format: "esm",
      external: peers.flatMap((peer) => [peer, `${peer}/*`]),
      logLevel: "silent",
    });
    const kilobytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0) / 1_000;
    const most = mostKilobytes[name];
    if (most === undefined || kilobytes > most) {
      wrong.push(`${name}: ${kilobytes.toFixed(1)} kB of gzip; it may be ${most ?? "what its limit says"}`);
    }
  }
  return wrong;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => lstatSync(join(folder, path)))
    .filter((found) => found.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(2)} MB`;
}
