import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const folder = mkdtempSync(join(import.meta.dirname, "../../.bundles-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The banner that esbuild's users add so that CommonJS packages work in a bundle of ES modules. */
const usualBanner = 'import { createRequire } from "module"; const require = createRequire(import.meta.url);';

const host = `
  import { LoyaltyService } from "loyalty-kit";
  import { createHttpApi, bearerTokens } from "loyalty-kit/http";
  import { createOAuth } from "loyalty-kit/auth";
  import { postgresStorage } from "loyalty-kit/postgres";
  import { sqliteStorage } from "loyalty-kit/sqlite";
  import { createWebhookWorker } from "loyalty-kit/webhooks";

  const loyalty = new LoyaltyService({ storage: await sqliteStorage(process.argv[2]) });
  const worker = createWebhookWorker(loyalty);
  const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty) });
  const emails = Array.from({ length: 3_000 }, (_, at) => ({ email: at + "@example.com", tags: ["all"] }));
  const { created } = await loyalty.organization("acme").users.import(emails, { createTags: true });
  const { status } = await api.fetch(new Request("http://localhost/v1/openapi.json"));
  console.log(created, status, typeof postgresStorage, typeof createOAuth);
  await worker.close();
  await loyalty.close();
`;

describe("a bundle of a host", () => {
  it("works with the banner that esbuild's users add to ES modules, and with external drivers", async () => {
    const entry = join(folder, "host.mjs");
    writeFileSync(entry, host);
    const outfile = join(folder, "bundle.mjs");
    const { warnings } = await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["better-sqlite3", "pg"],
      banner: { js: usualBanner },
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    const { stdout } = await run(process.execPath, [outfile, join(folder, "loyalty.db")]);
    expect(stdout).toBe("3000 200 function function\n");
  });
});
