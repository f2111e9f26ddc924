import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Bench } from "./bench.js";
import { changingTags } from "./changing-tags.js";
import { contacts } from "./contacts.js";
import { copy } from "./copy.js";
import { entering } from "./entering.js";
import { firstCommits } from "./first-commits.js";
import { fusedTags } from "./fused-tags.js";
import { growth } from "./growth.js";
import { http } from "./http.js";
import { imports } from "./import.js";
import { mail } from "./mail.js";
import { publish } from "./measured.js";
import { memory } from "./memory.js";
import { messages } from "./messages.js";
import { organizations } from "./organizations.js";
import { pages } from "./pages.js";
import { pointRead } from "./point-read.js";
import { postgres } from "./postgres/postgres.js";
import { postgresSegments } from "./postgres/segments.js";
import { comparison, keep, watched } from "./ratios.js";
import { printedRatios } from "./report.js";
import { screens } from "./screens.js";
import { search } from "./search.js";
import { segments } from "./segments.js";
import { stalls } from "./stalls.js";
import { tagQuery } from "./tag-query.js";
import { walletPasses } from "./wallet-passes.js";
import { webhooks } from "./webhooks.js";
import { priceOfImport } from "./without-us/price-of-import.js";
import { priceOfPostgresImport } from "./without-us/price-of-postgres-import.js";
import { priceOfWrites } from "./without-us/price-of-writes.js";
import { writes } from "./writes.js";

const benches: Readonly<Record<string, Bench>> = {
  "tag-query": tagQuery,
  "changing-tags": changingTags,
  "fused-tags": fusedTags,
  segments,
  entering,
  "point-read": pointRead,
  search,
  contacts,
  writes,
  "first-commits": firstCommits,
  pages,
  "price-of-writes": priceOfWrites,
  import: imports,
  "price-of-import": priceOfImport,
  growth,
  organizations,
  stalls,
  memory,
  http,
  webhooks,
  mail,
  messages,
  "wallet-passes": walletPasses,
  screens,
  postgres,
  "postgres-segments": postgresSegments,
  "price-of-postgres-import": priceOfPostgresImport,
  copy,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    users: { type: "string", default: "200000" },
    short: { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    publish: { type: "boolean", default: false },
  },
});
const settings = settingsOf();
const names = positionals.length > 0 ? positionals : Object.keys(benches);
const unknown = names.find((name) => benches[name] === undefined);
if (unknown !== undefined || !(settings.users >= 1_000)) {
  throw new Error(
    `${unknown === undefined ? "--users is a number from 1,000" : `no bench ${unknown}`}; ` +
      `there are ${Object.keys(benches).join(", ")}`,
  );
}

function settingsOf() {
  if (values.watch || values.keep) return watched;
  if (values.short) return { users: 5_000, rounds: 1, sliceMs: 20 };
  return { users: Number(values.users), rounds: 9, sliceMs: 300 };
}

/** A bench that fails keeps none of the others from running, which may have taken hours. */
const failed: string[] = [];
const run = await mkdtemp(join(tmpdir(), "loyalty-bench-"));
try {
  const shared = join(run, "shared");
  await mkdir(shared);
  for (const name of names) {
    const folder = await mkdtemp(join(run, "bench-"));
    try {
      await benches[name]?.({ shared, folder, ...settings });
    } catch (error) {
      console.error(`${name} failed:`, error);
      failed.push(name);
    }
    await rm(folder, { recursive: true });
  }
  if (values.watch) console.log(await comparison(printedRatios()));
  if (values.keep) await keep(printedRatios());
  if (values.publish) await publish(settings.users, performance.now(), failed);
} finally {
  await rm(run, { recursive: true });
}
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  // What failed may have left servers open.
  process.exit(1);
}
