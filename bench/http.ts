import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import autocannon from "autocannon";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION, userId } from "./customers.js";
import { copyFile, createOurFile } from "./our-file.js";
import { atLeast, formatWhole, print, type Row } from "./report.js";
import { medianOf } from "./timing.js";

const CONNECTIONS = 16;

/**
 * `GET /v1/users/{id}` under Fastify, with limits and without, against a bare Fastify route with the same token and user look-ups
 * by hand. The bare route with limits by hand shows what limits cost anyone.
 */
export const runHttp: Bench = async ({ sharedFolder, folder, users, rounds, sliceMs }) => {
  const file = copyFile(await createOurFile(sharedFolder, users), folder, "ours");
  const token = await createToken(file);
  const ids = Array.from({ length: Math.min(users, 1_000) }, (_, ordinal) => userId(ordinal));
  const servers = {
    unlimited: await startServer("loyalty-fastify", file, "off"),
    limited: await startServer("loyalty-fastify", file, "on"),
    bare: await startServer("bare-fastify", file),
    bareLimited: await startServer("bare-fastify", file, "on"),
  };
  try {
    const headers = { authorization: `Bearer ${token}` };
    const addresses = Object.values(servers).map(({ address }) => address);
    await assertSame(ids.slice(0, 20), headers, addresses);
    const rates = {
      unlimited: [] as number[],
      limited: [] as number[],
      bare: [] as number[],
      bareLimited: [] as number[],
    };
    const seconds = Math.max(1, Math.round(sliceMs / 100));
    for (const server of Object.values(servers)) await loadServer(server, ids, headers, 1);
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ["unlimited", "limited", "bare", "bareLimited"] as const) {
        rates[name].push(await loadServer(servers[name], ids, headers, seconds));
      }
    }
    const bare = medianOf(rates.bare);
    const buildRow = (label: string, rate: number, min?: number): Row => ({
      label,
      ours: formatWhole(rate),
      peer: formatWhole(bare),
      peerName: "bare Fastify and better-sqlite3",
      ratio: rate / bare,
      goals: min === undefined ? [] : [atLeast(rate / bare, min)],
    });
    print(`GET /v1/users/{id} under Fastify, ${CONNECTIONS} connections (ratio: share of the bare rate)`, [
      buildRow("requests a second of its processor time, limits off", medianOf(rates.unlimited), 0.9),
      buildRow("requests a second of its processor time, limits on", medianOf(rates.limited), 0.9),
      buildRow("requests a second of its processor time: limits by hand", medianOf(rates.bareLimited)),
    ]);
  } finally {
    for (const { process } of Object.values(servers)) await stopServer(process);
  }
};

async function createToken(file: string): Promise<string> {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const { apiTokens } = loyalty.organization(ORGANIZATION);
  const { token } = await apiTokens.create({ name: "bench", scopes: ["user:read"] });
  await loyalty.close();
  return token;
}

interface Server {
  readonly name: string;
  readonly process: ChildProcess;
  readonly address: string;
}

async function startServer(name: string, file: string, limits = ""): Promise<Server> {
  const program = join(import.meta.dirname, "servers", `${name}.ts`);
  const child = spawn(process.execPath, ["--import", "tsx", program, file, limits], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  assert.ok(child.stdout);
  const [address] = await once(child.stdout, "data");
  return { name, process: child, address: String(address).trim() };
}

async function stopServer(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, "exit");
}

/**
 * Requests a second of the server's processor time: the client is on the same machine, and its own work must not count for either
 * side.
 */
async function loadServer(
  { name, process: child, address }: Server,
  ids: readonly string[],
  headers: Record<string, string>,
  duration: number,
): Promise<number> {
  const requests = ids.map((id) => ({ method: "GET" as const, path: `/v1/users/${id}`, headers }));
  const before = await readProcessorTime(child);
  const result = await autocannon({ url: address, connections: CONNECTIONS, duration, requests });
  assert.equal(result.non2xx + result.errors, 0, `${name} answers every request`);
  return (result.requests.total / ((await readProcessorTime(child)) - before)) * 1_000_000;
}

async function readProcessorTime(child: ChildProcess): Promise<number> {
  child.send("processor time");
  const [microseconds] = await once(child, "message");
  return Number(microseconds);
}

/** The headers that every response has on both sides. */
const sameHeaders = ["content-type", "content-length", "cache-control", "x-content-type-options"];

async function assertSame(
  ids: readonly string[],
  headers: Record<string, string>,
  addresses: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const responses = await Promise.all(
      addresses.map(async (address) => {
        const response = await fetch(`${address}/v1/users/${id}`, { headers });
        const headersOfResponse = sameHeaders.map((name) => response.headers.get(name));
        return { status: response.status, headers: headersOfResponse, body: await response.text() };
      }),
    );
    for (const response of responses) assert.deepEqual(response, responses[0]);
  }
}
