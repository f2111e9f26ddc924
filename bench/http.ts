import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import autocannon from "autocannon";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION, userId } from "./customers.js";
import { copyOf, ourFile } from "./our-file.js";
import { atLeast, print, whole } from "./report.js";
import { medianOf } from "./timing.js";

const CONNECTIONS = 16;

/** `GET /v1/users/{id}` under Fastify, against a bare Fastify route with the same token and user look-ups by hand. */
export const http: Bench = async ({ shared, folder, users, rounds, sliceMs }) => {
  const file = copyOf(await ourFile(shared, users), folder, "ours");
  const token = await newToken(file);
  const ids = Array.from({ length: Math.min(users, 1_000) }, (_, ordinal) => userId(ordinal));
  const servers = { ours: await start("loyalty-fastify", file), bare: await start("bare-fastify", file) };
  try {
    const headers = { authorization: `Bearer ${token}` };
    await assertSame(ids.slice(0, 20), headers, servers.ours.address, servers.bare.address);
    const rates = { ours: [] as number[], bare: [] as number[] };
    const seconds = Math.max(1, Math.round(sliceMs / 100));
    for (const [name, { address }] of Object.entries(servers)) await load(name, address, ids, headers, 1);
    for (let round = 0; round < rounds; round += 1) {
      rates.ours.push(await load("ours", servers.ours.address, ids, headers, seconds));
      rates.bare.push(await load("bare", servers.bare.address, ids, headers, seconds));
    }
    const [ours, bare] = [medianOf(rates.ours), medianOf(rates.bare)];
    print(`GET /v1/users/{id} under Fastify, ${CONNECTIONS} connections (ratio: share of the bare rate)`, [
      {
        what: "requests a second",
        ours: whole(ours),
        peer: whole(bare),
        peerName: "bare Fastify and better-sqlite3",
        ratio: ours / bare,
        goals: [atLeast(ours / bare, 0.75)],
      },
    ]);
  } finally {
    for (const { process } of Object.values(servers)) await stop(process);
  }
};

async function newToken(file: string): Promise<string> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { apiTokens } = loyalty.organization(ORGANIZATION);
  const { token } = await apiTokens.create({ name: "bench", scopes: ["user:read"] });
  await loyalty.close();
  return token;
}

async function start(name: string, file: string): Promise<{ process: ChildProcess; address: string }> {
  const program = join(import.meta.dirname, "servers", `${name}.ts`);
  const child = spawn(process.execPath, ["--import", "tsx", program, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [address] = await once(child.stdout, "data");
  return { process: child, address: String(address).trim() };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, "exit");
}

async function load(
  name: string,
  url: string,
  ids: readonly string[],
  headers: Record<string, string>,
  duration: number,
): Promise<number> {
  const requests = ids.map((id) => ({ method: "GET" as const, path: `/v1/users/${id}`, headers }));
  const result = await autocannon({ url, connections: CONNECTIONS, duration, requests });
  assert.equal(result.non2xx + result.errors, 0, `${name} answers every request`);
  return result.requests.total / result.duration;
}

async function assertSame(
  ids: readonly string[],
  headers: Record<string, string>,
  ...addresses: readonly [string, string]
): Promise<void> {
  for (const id of ids) {
    const [ours, bare] = await Promise.all(
      addresses.map(async (address) => {
        const response = await fetch(`${address}/v1/users/${id}`, { headers });
        return { status: response.status, body: await response.json() };
      }),
    );
    assert.deepEqual(ours, bare);
  }
}
