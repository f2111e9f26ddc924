import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { bundleProgram } from "../kit/bundled-program.js";
import { startServer } from "../postgres/server.js";
import { attacks } from "./attacks.js";
import { relayStates } from "./mails.js";
import { awaitMail, type CallTimes, computeQuantile, probe } from "./probe.js";
import { startReceiver } from "./receiver.js";
import { startRelay } from "./relay.js";
import { fill, type Scene } from "./scene.js";
import { startService } from "./start-service.js";
import { createWalletSetup } from "./wallet-setup.js";

/*
 * Lets one organization do its worst within its quota, attack by attack, while a quiet one works as every day. None of the
 * quiet one's calls fails, 99 of 100 of each kind are answered in time, and its webhooks come soon. The service is the one that
 * the command line runs, with its default limits. Anonymous clients do their worst too, with what anyone may do. One service
 * meets all attacks on a database. So most of its code is compiled, as after running for a while, and it must retain little of
 * all the attacks.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    users: { type: "string", default: "20000" },
    on: { type: "string", default: "sqlite,postgres" },
    only: { type: "string", default: "" },
    within: { type: "string", default: "250" },
    together: { type: "boolean", default: false },
  },
});
const ms = Number(values.seconds) * 1_000;

/** Maximum time of 99 of 100 calls of each kind, in milliseconds, beyond what they took just before the attack. */
const LONGEST = Number(values.within);
/** Maximum delay of a webhook, in milliseconds. */
const LATEST = 5_000;
/** How long the quiet organization is measured before an attack, in milliseconds. */
const BEFORE = Math.max(500, ms / 6);
/**
 * Memory that may be retained after an attack: `KEPT` times the memory before it, or `GROWN` MiB more. It may take `SETTLING`
 * milliseconds to get there, because silent connections are closed after half a minute. Code is loaded and caches fill, so all
 * attacks together may add `LOADED` MiB to a service that has just started: it was 36 MiB, and the same after all attacks had
 * been made three times.
 */
const KEPT = 1.2;
const GROWN = 16;
const LOADED = 48;
const SETTLING = 90_000;
/**
 * `LATEST_MAIL`: maximum delay of a mail once the mail server takes mails again. `ASKED_AGAIN`: maximum time until it
 * is tried again, because sending pauses for half a minute after three faults. Both are in milliseconds.
 */
const LATEST_MAIL = 5_000;
const ASKED_AGAIN = 60_000;
/** The number of the quiet organization's mails that are measured. */
const MAILS = 5;
/** How often an attack is made as long as the quiet organization is affected. */
const ATTEMPTS = 3;
/** Maximum memory of the service, in MiB. */
const MEMORY = 1_024;

const failures: string[] = [];
/** Scenes are filled one after the other, before the first attack. */
let filling: Promise<unknown> = Promise.resolve();
const on = (database: string) => (database === "sqlite" ? onSqlite() : onPostgres());
const databases = values.on.split(",");
// In parallel they take half the time, and each has half of the machine.
if (values.together) await Promise.all(databases.map(on));
else for (const database of databases) await on(database);
if (failures.length > 0) {
  console.error(`\n${failures.join("\n")}`);
  process.exit(1);
}
console.log("\nnone of it was felt by the quiet organization");
process.exit(0);

async function onSqlite(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "loyalty-neighbors-"));
  try {
    const file = join(folder, "loyalty.db");
    await runAll("sqlite", file, await sqliteStorage(file));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function onPostgres(): Promise<void> {
  const server = await startServer();
  try {
    await runAll("postgres", server.url, await postgresStorage(server.url));
  } finally {
    await server.stop();
  }
}

async function runAll(name: string, database: string, storage: StorageAdapter): Promise<void> {
  const webhooks = await startReceiver();
  const wallets = await createWalletSetup();
  const mails = await startRelay();
  const flags = [...wallets.flags, ...mails.flags, "--passkeys"];
  const only = values.only.split(",");
  const selected = Object.keys(attacks).filter((attack) => only.some((part) => attack.includes(part)));
  const sizes = {
    wallets,
    mails: selected.some((attack) => attack in relayStates) ? Number(values.users) : 0,
    users: Number(values.users),
    receiver: `${webhooks.url}/quiet`,
    abyss: `${webhooks.url}/abyss`,
  };
  const filled = filling.then(() => fill(storage, sizes));
  filling = filled;
  const scene = await filled;
  await filling;
  const service = await startService(database, flags);
  const keptFirst = await service.readHeap();
  try {
    for (const attack of selected) failures.push(...(await attackAndJudge(attack)));
  } finally {
    await service.close();
    webhooks.close();
    mails.close();
    await wallets.close();
  }

  /**
   * Returns how an attack affected the quiet organization. Repeats an attack that did: one that the service doesn't
   * withstand affects it each time, but a machine that paused for a moment does so only once.
   */
  async function attackAndJudge(attack: string): Promise<string[]> {
    for (let attempt = 1; ; attempt += 1) {
      const wrong = judge(name, attack, await measureAttack(scene, attack));
      if (wrong.length === 0 || attempt === ATTEMPTS) return wrong;
      console.log(`it was felt, so the attack is made again:\n${wrong.join("\n")}`);
    }
  }

  async function measureAttack({ quiet, hostile }: Scene, attack: string): Promise<Measurement> {
    try {
      const before = await probe(service.url, quiet, BEFORE);
      const keptBefore = await service.readHeap();
      const most = Math.min(maxMemory(keptBefore), keptFirst + LOADED);
      webhooks.startOver();
      const attacker = fork(bundleProgram(join(import.meta.dirname, "attacker.ts")), { execArgv: [] });
      let wrongRequest: string | null = null;
      attacker.on("message", (report) => {
        wrongRequest = String(report);
      });
      const relayState = relayStates[attack];
      if (relayState !== undefined) mails.setState(relayState);
      attacker.send({ attack, target: { url: service.url, hostile } });
      const times = await probe(service.url, quiet, ms);
      const memory = service.readMemory();
      const writeCount = times.find(({ kind }) => kind === "write")?.times.length ?? 0;
      const delays = await collectDelays(writeCount);
      let mailDelay: number | null = null;
      if (relayState !== undefined) mailDelay = await measureLatestMail(service.url, quiet);
      attacker.kill("SIGKILL");
      await once(attacker, "exit");
      const kept = { before: keptBefore, most, after: await waitUntilSettled(most) };
      return { before, times, memory, delays, mailDelay, kept, wrongRequest };
    } finally {
      webhooks.hangUp();
    }
  }

  /** Returns the greatest delay of some of the quiet organization's mails since the mail server takes mails again. */
  async function measureLatestMail(url: string, quiet: Scene["quiet"]): Promise<number> {
    let latest = 0;
    for (let mail = 0; mail < MAILS; mail += 1) {
      const delay = mails.waitForDelay(await awaitMail(url, quiet), ASKED_AGAIN);
      mails.setState("well");
      latest = Math.max(latest, await delay);
    }
    return latest;
  }

  /** Returns the retained memory in MiB, once it is low enough or the time is up. */
  async function waitUntilSettled(enough: number): Promise<number> {
    for (const end = Date.now() + SETTLING; ; ) {
      const remaining = await service.readHeap();
      if (remaining <= enough || Date.now() > end) return remaining;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** Collects the delays of this many events while the attack goes on, until the last one is too late. */
  async function collectDelays(count: number): Promise<number[]> {
    const delays = webhooks.takeDelays();
    for (const end = Date.now() + LATEST; delays.length < count && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      delays.push(...webhooks.takeDelays());
    }
    return delays.length < count ? [...delays, Number.POSITIVE_INFINITY] : delays;
  }
}

function maxMemory(before: number): number {
  return Math.max(before * KEPT, before + GROWN);
}

interface Measurement {
  /** Calls before the attack. */
  readonly before: readonly CallTimes[];
  readonly times: readonly CallTimes[];
  readonly memory: number | null;
  /** Retained memory in MiB: before the attack, the maximum after it, and the measured value after it. */
  readonly kept: Readonly<Record<"before" | "most" | "after", number>>;
  /** Delays of webhooks, in milliseconds. */
  readonly delays: readonly number[];
  /** The greatest delay of a mail since the mail server works again, in milliseconds; `null` if none is sent. */
  readonly mailDelay: number | null;
  /** An invalid request of the attack; `null` if there was none. */
  readonly wrongRequest: string | null;
}

/** Prints what was measured. @returns what exceeds the limits, relative to the same machine just before. */
function judge(name: string, attack: string, measurement: Measurement): string[] {
  const { before, times, memory, delays, mailDelay, kept, wrongRequest } = measurement;
  const usual = Math.max(...before.map(({ times }) => computeQuantile(times, 0.99)));
  const latest = Math.max(...delays);
  const each = times.map(
    ({ kind, times }) =>
      `${kind} ${computeQuantile(times, 0.5).toFixed(0)}/${computeQuantile(times, 0.99).toFixed(0)}`,
  );
  console.log(
    `${name}, ${attack}: p50/p99 ms: ${each.join(", ")} (before: at most ${usual.toFixed(0)}); ` +
      `latest webhook ${latest} ms; ${mailDelay === null ? "" : `mail ${mailDelay} ms; `}${memory} MiB, ${kept.after} kept (before: ${kept.before})`,
  );
  const found: string[] = [];
  const addFault = (what: string) => void found.push(`${name}, ${attack}: ${what}`);
  if (wrongRequest !== null) addFault(`this attacks nothing: ${wrongRequest}`);
  for (const { kind, times, failures } of measurement.times) {
    if (failures.length > 0)
      addFault(`${failures.length} of ${times.length} (${kind}) failed: ${failures[0]}`);
    const p99 = computeQuantile(times, 0.99);
    if (p99 > LONGEST + usual) addFault(`${kind} took ${p99.toFixed(0)} ms, before it ${usual.toFixed(0)}`);
  }
  if (latest > LATEST) addFault(`a webhook came ${latest} ms late`);
  if (mailDelay !== null && mailDelay > LATEST_MAIL) addFault(`a mail came ${mailDelay} ms late`);
  if (kept.after > kept.most) addFault(`it kept ${kept.after} MiB; it may be ${kept.most}`);
  if (memory !== null && memory > MEMORY) addFault(`it held ${memory} MiB`);
  return found;
}
