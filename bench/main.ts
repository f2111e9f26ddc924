import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Bench } from "./bench.js";
import { http } from "./http.js";
import { pointRead } from "./point-read.js";
import { tagQuery } from "./tag-query.js";

const benches: Readonly<Record<string, Bench>> = { "tag-query": tagQuery, "point-read": pointRead, http };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    users: { type: "string", default: "200000" },
    short: { type: "boolean", default: false },
  },
});
const settings = values.short
  ? { users: 20_000, rounds: 3, sliceMs: 100 }
  : { users: Number(values.users), rounds: 9, sliceMs: 300 };

for (const name of positionals.length > 0 ? positionals : Object.keys(benches)) {
  const bench = benches[name];
  if (bench === undefined) throw new Error(`no bench ${name}; there are ${Object.keys(benches).join(", ")}`);
  const folder = await mkdtemp(join(tmpdir(), "loyalty-bench-"));
  try {
    await bench({ folder, ...settings });
  } finally {
    await rm(folder, { recursive: true });
  }
}
