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
import { fill, ORGANIZATION, retention } from "./organization.js";
import { killTellers } from "./wallets/kill.js";

/*
 * Kills a process again and again, at any moment, while it gives a tag to everybody and deletes it. After each kill the
 * tag is there as the events say, or gone, and once another process has finished its removal, with one event for each user who had
 * it. Then it kills processes that tell
 * phones of stamps, on SQLite and Postgres: at the end every phone shows the newest state. And it kills processes that send
 * mails: everybody gets theirs, and twice only where an answer was lost or an attempt was under way. So it is with messages to
 * all customers, of whom some end messages meanwhile; each message is told of once, and its sums are right at every read. Processes
 * that run automations are killed, too: each event has one run, and each run is done whole or not at all.
 */
const { values } = parseArgs({
  options: { kills: { type: "string", default: "50" }, users: { type: "string", default: "5000" } },
});
const folder = await mkdtemp(join(tmpdir(), "loyalty-crash-"));
try {
  const file = join(folder, "loyalty.db");
  await fill(file, Number(values.users));
  const round = await timeOfRound(file);
  const check = new Check();
  const found = { there: 0, gone: 0 };
  for (let kill = 1; kill <= Number(values.kills); kill += 1) {
    const moment = Math.random() * round * 1.2;
    await killAfter(file, moment);
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), retention });
    // What the process left unfinished of a deletion is done by the next one that refreshes.
    await loyalty.refreshSegments();
    const { there, gone } = await check.run(loyalty.organization(ORGANIZATION));
    await loyalty.close();
    found.there = there;
    found.gone += gone;
    console.log(`kill ${kill}, ${moment.toFixed(0)} ms into a round: ${there} tags there, ${gone} more gone`);
  }
  console.log(
    `${values.kills} kills: ${found.there} tags are there, ${found.gone} are gone, all of them whole`,
  );
  await killTellersOn("SQLite", join(folder, "wallets.db"));
  await killSendersOn("SQLite", join(folder, "mails.db"));
  await killMessagesOn("SQLite", join(folder, "messages.db"));
  await killAutomationsOn("SQLite", join(folder, "automations.db"));
  const server = await startServer();
  try {
    await runInNewSchema(server.url, (url) => killTellersOn("Postgres", url));
    await runInNewSchema(server.url, (url) => killSendersOn("Postgres", url));
    await runInNewSchema(server.url, (url) => killMessagesOn("Postgres", url));
    await runInNewSchema(server.url, (url) => killAutomationsOn("Postgres", url));
  } finally {
    await server.stop();
  }
} finally {
  await rm(folder, { recursive: true });
}

async function killTellersOn(database: string, place: string): Promise<void> {
  const { stamps, pushes } = await killTellers(place, Number(values.kills));
  console.log(
    `${values.kills} kills, ${stamps} stamps, ${pushes} pushes on ${database}: no phone shows an old state`,
  );
}

async function killSendersOn(database: string, place: string): Promise<void> {
  const { mails, doubles, lost, underWay } = await killSenders(place, Number(values.kills));
  console.log(
    `${values.kills} times two kills, ${mails} mails on ${database}: none is missing, ${doubles} came twice; ${lost} answers were lost, ${underWay} attempts cut off`,
  );
}

async function killMessagesOn(database: string, place: string): Promise<void> {
  const { messages, canceled, mails, doubles, lost, underWay } = await killMessages(
    place,
    Number(values.kills),
  );
  console.log(
    `${values.kills} times two kills, ${messages} messages (${canceled} canceled), ${mails} mails on ${database}: none is missing or unwanted, ${doubles} came twice; ${lost} answers were lost, ${underWay} attempts cut off`,
  );
}

async function killAutomationsOn(database: string, place: string): Promise<void> {
  const { events, done, skipped } = await killAutomations(place, Number(values.kills));
  console.log(
    `${values.kills} times two kills, ${events} events on ${database}: each has its run, of which ${done} are done and ${skipped} were too many`,
  );
}

/** Starts the work and waits until a round begins. */
async function working(file: string) {
  const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
  const worker = spawn(process.execPath, [program, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(worker.stdout, "data");
  return worker;
}

/** How long one round takes here, in milliseconds. */
async function timeOfRound(file: string): Promise<number> {
  const worker = await working(file);
  const start = performance.now();
  await once(worker.stdout, "data");
  const time = performance.now() - start;
  worker.kill("SIGKILL");
  await once(worker, "exit");
  return time;
}

async function killAfter(file: string, ms: number): Promise<void> {
  const worker = await working(file);
  await new Promise((resolve) => setTimeout(resolve, ms));
  worker.kill("SIGKILL");
  await once(worker, "exit");
}
