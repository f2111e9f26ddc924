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
import { startService } from "./served.js";
import { createWalletSetup } from "./wallet-setup.js";

/*
 * Lets one organization do its worst within its quota, attack by attack, while a quiet one goes on as every day. None of
 * the quiet one's calls fails, and of each kind 99 of 100 are answered in time; its webhooks come soon. The service is
 * that of the command line, with the limits it has by itself. Strangers do their worst, too, with what anybody may ask for.
 * One service meets all attacks of a database: most of its code is compiled, as that of one which runs for a while, and it keeps
 * little of them all.
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

/** What 99 of 100 calls of each kind stay under, in milliseconds, beyond what they took just before the attack. */
const LONGEST = Number(values.within);
/** How late a webhook may come, in milliseconds. */
const LATEST = 5_000;
/** How long the quiet organization is looked at before an attack, in milliseconds. */
const BEFORE = Math.max(500, ms / 6);
/**
 * What may be kept in memory after an attack, beside what was before it, in MiB, and how long after it, in milliseconds:
 * connections that say nothing are closed after half a minute. Code is loaded and caches fill, so it may be that much more, and
 * after all attacks so much more than a service keeps that has just begun: it was 36 MiB, and no more when all had been made
 * three times.
 */
const KEPT = 1.2;
const GROWN = 16;
const LOADED = 48;
const SETTLING = 90_000;
/**
 * How late a mail may come once the mail server takes mails again, and how long it may be until it is asked to, in
 * milliseconds: after three faults it is let alone for half a minute.
 */
const LATEST_MAIL = 5_000;
const ASKED_AGAIN = 60_000;
/** The number of mails of the quiet organization that are looked at. */
const MAILS = 5;
/** How often an attack is made that is felt each time. */
const ATTEMPTS = 3;
/** How much memory the service may hold, in MiB. */
const MEMORY = 1_024;

const failures: string[] = [];
/** One scene is filled after the other, before the first attack. */
let filling: Promise<unknown> = Promise.resolve();
const on = (database: string) => (database === "sqlite" ? onSqlite() : onPostgres());
const databases = values.on.split(",");
// Side by side they take half the time, and each has half of the machine.
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
   * Tells what the quiet organization felt of an attack. One that was felt is made again: an attack that the service does not
   * hold off is felt each time, and a machine that stood still for a moment did so once.
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

  /** The greatest delay of some mails of the quiet organization, from when the mail server takes mails again. */
  async function measureLatestMail(url: string, quiet: Scene["quiet"]): Promise<number> {
    let latest = 0;
    for (let mail = 0; mail < MAILS; mail += 1) {
      const delay = mails.waitForDelay(await awaitMail(url, quiet), ASKED_AGAIN);
      mails.setState("well");
      latest = Math.max(latest, await delay);
    }
    return latest;
  }

  /** What the service keeps when that is little enough, or does not get less in time, in MiB. */
  async function waitUntilSettled(enough: number): Promise<number> {
    for (const end = Date.now() + SETTLING; ; ) {
      const remaining = await service.readHeap();
      if (remaining <= enough || Date.now() > end) return remaining;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** The delays of so many events, while the attack goes on, until the last may come no more. */
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
  /** Of the calls before the attack. */
  readonly before: readonly CallTimes[];
  readonly times: readonly CallTimes[];
  readonly memory: number | null;
  /** What was kept in memory before the attack, may be after it, and was, in MiB. */
  readonly kept: Readonly<Record<"before" | "most" | "after", number>>;
  /** Of webhooks, in milliseconds. */
  readonly delays: readonly number[];
  /** Of the latest mail since the mail server works, in milliseconds; `null` where none is sent. */
  readonly mailDelay: number | null;
  /** A request of the attack that is wrong in itself; `null` when there was none. */
  readonly wrongRequest: string | null;
}

/** Tells what was measured, and returns what is too much beside what the same machine did just before. */
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
