import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Bench } from "./bench.js";
import { contacts } from "./contacts.js";
import { growth } from "./growth.js";
import { http } from "./http.js";
import { imports } from "./import.js";
import { memory } from "./memory.js";
import { organizations } from "./organizations.js";
import { pointRead } from "./point-read.js";
import { postgres } from "./postgres/postgres.js";
import { search } from "./search.js";
import { stalls } from "./stalls.js";
import { tagQuery } from "./tag-query.js";
import { webhooks } from "./webhooks.js";
import { writes } from "./writes.js";

const benches: Readonly<Record<string, Bench>> = {
  "tag-query": tagQuery,
  "point-read": pointRead,
  search,
  contacts,
  writes,
  import: imports,
  growth,
  organizations,
  stalls,
  memory,
  http,
  webhooks,
  postgres,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    users: { type: "string", default: "200000" },
    short: { type: "boolean", default: false },
  },
});
const settings = values.short
  ? { users: 5_000, rounds: 1, sliceMs: 20 }
  : { users: Number(values.users), rounds: 9, sliceMs: 300 };
const names = positionals.length > 0 ? positionals : Object.keys(benches);
const unknown = names.find((name) => benches[name] === undefined);
if (unknown !== undefined || !(settings.users >= 1_000)) {
  throw new Error(
    `${unknown === undefined ? "--users is a number from 1,000" : `no bench ${unknown}`}; ` +
      `there are ${Object.keys(benches).join(", ")}`,
  );
}

const run = await mkdtemp(join(tmpdir(), "loyalty-bench-"));
try {
  const shared = join(run, "shared");
  await mkdir(shared);
  for (const name of names) {
    const folder = await mkdtemp(join(run, "bench-"));
    await benches[name]?.({ shared, folder, ...settings });
    await rm(folder, { recursive: true });
  }
} finally {
  await rm(run, { recursive: true });
}
