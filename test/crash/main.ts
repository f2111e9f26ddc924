import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { bundleProgram } from "../kit/bundled-program.js";
import { runInNewSchema } from "../postgres/new-schema.js";
import { startServer } from "../postgres/server.js";
import { killAutomations } from "./automations/kill.js";
import { Check } from "./check.js";
import { killSenders } from "./mail/kill.js";
import { killMessages } from "./messages/kill.js";
import { fillFile, ORGANIZATION, retention } from "./organization.js";
import { killTills } from "./purchases/kill.js";
import { killTellers } from "./wallets/kill.js";

/*
 * Kills a process repeatedly, at any moment, while it assigns a tag to all users and deletes it. After each kill the tag exists
 * as the events say, or it is gone once another process has finished the removal, with one event for each user who had it. Then
 * it kills processes that update phones, on SQLite and Postgres: at the end every phone shows the newest state. Then it kills
 * processes that send mails: every customer gets one, and two only if a reply was lost or an attempt was running. The same holds
 * for messages to all customers while some unsubscribe; each message is reported once, and its sums are correct at every read.
 * Then it kills processes that run automations: each event has one run, and each run takes effect completely or not at all.
 * Finally it kills processes that record purchases and spend points: repeated calls leave each of them once.
 */
const { values } = parseArgs({
  options: { kills: { type: "string", default: "50" }, users: { type: "string", default: "5000" } },
});
const folder = await mkdtemp(join(tmpdir(), "loyalty-crash-"));
try {
  const file = join(folder, "loyalty.db");
  await fillFile(file, Number(values.users));
  const round = await measureRound(file);
  const check = new Check();
  const found = { there: 0, gone: 0 };
  for (let kill = 1; kill <= Number(values.kills); kill += 1) {
    const delayMs = Math.random() * round * 1.2;
    await killAfter(file, delayMs);
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), retention });
    // The next process that refreshes finishes an interrupted deletion.
    await loyalty.refreshSegments();
    const { existing, goneCount } = await check.run(loyalty.organization(ORGANIZATION));
    await loyalty.close();
    found.there = existing;
    found.gone += goneCount;
    console.log(
      `kill ${kill}, ${delayMs.toFixed(0)} ms into a round: ${existing} tags there, ${goneCount} more gone`,
    );
  }
  console.log(
    `${values.kills} kills: ${found.there} tags are there, ${found.gone} are gone, all of them whole`,
  );
  await killTellersOn("SQLite", join(folder, "wallets.db"));
  await killSendersOn("SQLite", join(folder, "mails.db"));
  await killMessagesOn("SQLite", join(folder, "messages.db"));
  await killAutomationsOn("SQLite", join(folder, "automations.db"));
  await killTillsOn("SQLite", join(folder, "purchases.db"));
  const server = await startServer();
  try {
    await runInNewSchema(server.url, (url) => killTellersOn("Postgres", url));
    await runInNewSchema(server.url, (url) => killSendersOn("Postgres", url));
    await runInNewSchema(server.url, (url) => killMessagesOn("Postgres", url));
    await runInNewSchema(server.url, (url) => killAutomationsOn("Postgres", url));
    await runInNewSchema(server.url, (url) => killTillsOn("Postgres", url));
  } finally {
    await server.stop();
  }
} finally {
  await rm(folder, { recursive: true });
}

async function killTellersOn(database: string, databaseUrl: string): Promise<void> {
  const { stamps, pushes } = await killTellers(databaseUrl, Number(values.kills));
  console.log(
    `${values.kills} kills, ${stamps} stamps, ${pushes} pushes on ${database}: no phone shows an old state`,
  );
}

async function killSendersOn(database: string, databaseUrl: string): Promise<void> {
  const { mails, doubles, lostCount, underWay } = await killSenders(databaseUrl, Number(values.kills));
  console.log(
    `${values.kills} times two kills, ${mails} mails on ${database}: none is missing, ${doubles} came twice; ${lostCount} answers were lost, ${underWay} attempts cut off`,
  );
}

async function killMessagesOn(database: string, databaseUrl: string): Promise<void> {
  const { messages, canceledCount, mails, doubles, lostCount, underWay } = await killMessages(
    databaseUrl,
    Number(values.kills),
  );
  console.log(
    `${values.kills} times two kills, ${messages} messages (${canceledCount} canceled), ${mails} mails on ${database}: none is missing or unwanted, ${doubles} came twice; ${lostCount} answers were lost, ${underWay} attempts cut off`,
  );
}

async function killAutomationsOn(database: string, databaseUrl: string): Promise<void> {
  const { events, doneCount, skippedCount } = await killAutomations(databaseUrl, Number(values.kills));
  console.log(
    `${values.kills} times two kills, ${events} events on ${database}: each has its run, of which ${doneCount} are done and ${skippedCount} were too many`,
  );
}

async function killTillsOn(database: string, databaseUrl: string): Promise<void> {
  const visits = await killTills(databaseUrl, Number(values.kills));
  console.log(
    `${values.kills} kills, ${visits} visits on ${database}: each purchase, return, and use is there once`,
  );
}

/** Starts the work and waits until a round begins. */
async function startWorker(file: string) {
  const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
  const worker = spawn(process.execPath, [program, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(worker.stdout, "data");
  return worker;
}

/** Measures one round on this machine, in milliseconds. */
async function measureRound(file: string): Promise<number> {
  const worker = await startWorker(file);
  const start = performance.now();
  await once(worker.stdout, "data");
  const time = performance.now() - start;
  worker.kill("SIGKILL");
  await once(worker, "exit");
  return time;
}

async function killAfter(file: string, ms: number): Promise<void> {
  const worker = await startWorker(file);
  await new Promise((resolve) => setTimeout(resolve, ms));
  worker.kill("SIGKILL");
  await once(worker, "exit");
}
