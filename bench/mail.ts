import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Database from "better-sqlite3";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { type CustomMailer, createMail } from "loyalty-kit/mail";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { serviceInternals } from "../src/internals.js";
import type { Bench } from "./bench.js";
import { MailsByHand } from "./mails-by-hand.js";
import { atMost, formatMs, formatRate, formatWhole, print, type Row } from "./report.js";
import { medianOf } from "./timing.js";

const ORGANIZATION = "acme";
const PUBLIC_URL = "https://shop.example";
export const sender = { publicUrl: PUBLIC_URL, from: "Coffee <cards@shop.example>" };

/** The default sending rate, evenly. */
const TEN_A_SECOND = { requests: 1, seconds: 0.1 };
/** Never in the way. */
export const ANY_RATE = { requests: 1_000_000, seconds: 1 };
const BEGINNING_MS = 30;
const MOST_PENDING = 20_000;
const MEBIBYTE = 2 ** 20;

/**
 * Compares three pairs: the writes of a service that sends emails with the writes of one that doesn't, pass emails through a
 * transport that accepts immediately with a loop over a table by hand, and a pass email queued behind many with one queued
 * behind none. Also measures the memory for many waiting emails.
 */
export const runMail: Bench = async ({ folder, users, rounds, sliceMs }) => {
  const openFile = (name: string) => openAcme(join(folder, `${name}.db`));
  print(
    "Processor time of writes beside mail (ratio: times those without mail)",
    await timeBesideMail(openFile, rounds, sliceMs),
  );
  const mails = Math.max(50, Math.round(sliceMs * 5));
  const rates = { ours: [] as number[], byHand: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const file = join(folder, `mails-${round}.db`);
    rates.ours.push(await timeOurs(file, mails));
    rates.byHand.push(await timeByHand(join(folder, `by-hand-${round}.db`), mails));
  }
  const [ours, byHand] = [medianOf(rates.ours), medianOf(rates.byHand)];
  print("Mails a second of processor time (ratio: share of the rate by hand)", [
    {
      label: "pass mails, ten under way",
      ours: formatRate(mails, ours),
      peer: formatRate(mails, byHand),
      peerName: "claimed, sent and settled by hand, a fixed text",
      ratio: byHand / ours,
      goals: [],
    },
  ]);
  const pending = Math.min(MOST_PENDING, users);
  print("Processor time of a pass mail that is queued (ratio: times one behind none)", [
    await timeBehindMany(openFile, users, rounds, sliceMs),
  ]);
  print(`Memory above idle, ${formatWhole(pending)} mails pending (ratio: times less)`, [
    await measurePendingMemory(openFile, pending),
  ]);
};

export interface Acme {
  readonly loyalty: LoyaltyService;
  readonly acme: Organization;
  readonly file: string;
  /** A stamp card. */
  readonly template: string;
}

export async function openAcme(file: string): Promise<Acme> {
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(file),
    shortLinkBase: `${PUBLIC_URL}/c`,
    limits: { pendingMessageDeliveries: 10_000_000 },
  });
  const acme = loyalty.organization(ORGANIZATION);
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  return { loyalty, acme, file, template: id };
}

type OpenAcme = (name: string) => Promise<Acme>;

let emailCount = 0;
export const nextEmail = () => {
  emailCount += 1;
  return `customer-${emailCount}@example.com`;
};

/** Queues pass mails of new customers, many in a transaction. */
async function queueMany({ acme, template }: Acme, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => ({
    email: nextEmail(),
    passes: [{ templateId: template }],
  }));
  const { failed } = await acme.passes.import(rows, { notify: true, emit: "none" });
  assert.deepEqual(failed, []);
}

export const sendsAtOnce: CustomMailer = { send: async () => ({ code: 250, answer: "2.0.0 Ok" }) };

/** Each side has the process to itself for a slice, in turn: the background work of its worker counts for it. */
async function timeBesideMail(open: OpenAcme, rounds: number, sliceMs: number): Promise<Row[]> {
  const sides = {
    without: await open("without"),
    idle: await open("idle"),
    loaded: await open("loaded"),
  };
  await queueUnsent(sides.loaded, Math.max(100, Math.round((rounds * 4 * sliceMs) / 50)));
  const rows: Row[] = [];
  for (const label of ["users.create", "stamps.add"] as const) {
    const times = { without: [] as number[], idle: [] as number[], loaded: [] as number[] };
    const passes = new Map<string, string>();
    for (const [name, { acme, template }] of Object.entries(sides))
      passes.set(name, (await acme.passes.create(template, { user: { email: nextEmail() } })).id);
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const name of ["without", "idle", "loaded"] as const) {
        const { loyalty, acme } = sides[name];
        const options = { ...sender, smtp: sendsAtOnce, rate: TEN_A_SECOND };
        const openingMail = name === "without" ? null : createMail(loyalty, options);
        // The cost of starting belongs to no write.
        await setTimeout(BEGINNING_MS);
        const pass = passes.get(name) ?? "";
        const writeOnce = () =>
          label === "users.create" ? acme.users.create({ email: nextEmail() }) : acme.stamps.add(pass);
        const time = await timeWork(writeOnce, sliceMs);
        if (round > 0) times[name].push(time);
        await openingMail?.close();
      }
    }
    const timeWithout = medianOf(times.without);
    for (const [name, state] of [
      ["idle", "nothing queued"],
      ["loaded", "ten mails a second"],
    ] as const) {
      const timeWithMail = medianOf(times[name]);
      rows.push({
        label: `${label}, ${state}`,
        ours: formatMs(timeWithMail),
        peer: formatMs(timeWithout),
        peerName: "without mail",
        ratio: timeWithMail / timeWithout,
        isLessBetter: true,
        goals: name === "idle" ? [atMost(timeWithMail / timeWithout, 1.1)] : [],
      });
    }
  }
  for (const { loyalty } of Object.values(sides)) await loyalty.close();
  return rows;
}

/** Queues mails for a sender that starts later. */
async function queueUnsent(shop: Acme, count: number): Promise<void> {
  const unlink = serviceInternals(shop.loyalty).backends.mail.attachSender({ host: "shop.example" });
  await queueMany(shop, count);
  unlink();
}

/** The processor time of one call, with its background work, in milliseconds. */
async function timeWork(work: () => Promise<unknown>, sliceMs: number): Promise<number> {
  let calls = 0;
  const end = performance.now() + sliceMs;
  const start = readProcessorTime();
  do {
    await work();
    calls += 1;
  } while (performance.now() < end);
  return (readProcessorTime() - start) / calls;
}

/** The processor time from a start with queued mails until the last one is recorded, in milliseconds. */
async function timeOurs(file: string, count: number): Promise<number> {
  const shop = await openAcme(file);
  const { loyalty, acme, template } = shop;
  const unlink = serviceInternals(loyalty).backends.mail.attachSender({ host: "shop.example" });
  for (let at = 0; at < count; at += 1)
    await acme.passes.create(template, { user: { email: nextEmail() }, notify: true });
  unlink();
  const sentIds = new Set<string>();
  const start = readProcessorTime();
  const openingMail = createMail(loyalty, {
    ...sender,
    rate: ANY_RATE,
    deliver: false,
    smtp: {
      send: async ({ id }) => {
        sentIds.add(id);
      },
    },
  });
  await openingMail.runOnce();
  const time = readProcessorTime() - start;
  assert.equal(sentIds.size, count);
  await openingMail.close();
  await loyalty.close();
  const db = new Database(file, { readonly: true });
  const countAccepted = db.prepare(
    "select count(*) from loyalty_message_deliveries where status = 'ACCEPTED'",
  );
  assert.equal(countAccepted.pluck().get(), count);
  db.close();
  return time;
}

async function timeByHand(file: string, count: number): Promise<number> {
  const mails = new MailsByHand(file);
  for (let at = 0; at < count; at += 1) mails.queue(nextEmail());
  const sentIds = new Set<string>();
  const start = readProcessorTime();
  await mails.sendAll(async ({ id }) => {
    sentIds.add(id);
  });
  const time = readProcessorTime() - start;
  assert.equal(sentIds.size, count);
  assert.equal(mails.accepted, count);
  mails.close();
  return time;
}

async function timeBehindMany(
  open: OpenAcme,
  pending: number,
  rounds: number,
  sliceMs: number,
): Promise<Row> {
  const sides = { none: await open("behind-none"), many: await open("behind-many") };
  for (const { loyalty } of Object.values(sides))
    serviceInternals(loyalty).backends.mail.attachSender({ host: "shop.example" });
  await queueMany(sides.many, pending);
  const times = { none: [] as number[], many: [] as number[] };
  const calls = Math.max(10, Math.round(sliceMs / 3));
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of ["none", "many"] as const) {
      const { acme, template } = sides[name];
      const passes: string[] = [];
      for (let at = 0; at < calls; at += 1)
        passes.push((await acme.passes.create(template, { user: { email: nextEmail() } })).id);
      const start = readProcessorTime();
      for (const pass of passes) await acme.passes.notify(pass);
      if (round > 0) times[name].push((readProcessorTime() - start) / calls);
    }
  }
  for (const { loyalty } of Object.values(sides)) await loyalty.close();
  const [none, many] = [medianOf(times.none), medianOf(times.many)];
  return {
    label: `passes.notify behind ${formatWhole(pending)}`,
    ours: formatMs(many),
    peer: formatMs(none),
    peerName: "behind none",
    ratio: many / none,
    isLessBetter: true,
    goals: [atMost(many - none, 1, " ms more")],
  };
}

/** The memory while mails wait and ten at a time never finish, against all of their rows in an array. */
async function measurePendingMemory(open: OpenAcme, pending: number): Promise<Row> {
  const shop = await open("pending");
  await queueUnsent(shop, pending);
  const idle = measureMemory();
  let startedCount = 0;
  const underWay = createResolver();
  const end = createResolver();
  const sendAndWait = async () => {
    startedCount += 1;
    if (startedCount === 10) underWay.resolve();
    await end.promise;
  };
  const openingMail = createMail(shop.loyalty, { ...sender, rate: ANY_RATE, smtp: { send: sendAndWait } });
  await underWay.promise;
  const memoryUsed = Math.max(0, measureMemory() - idle);
  const db = new Database(shop.file, { readonly: true });
  const before = measureMemory();
  const rows = db.prepare("select * from loyalty_message_deliveries where status = 'PENDING'").all();
  const naive = measureMemory() - before;
  assert.equal(rows.length, pending - startedCount);
  db.close();
  const closePromise = openingMail.close();
  end.resolve();
  await closePromise;
  await shop.loyalty.close();
  return {
    label: "ten of them under way",
    ours: `${(memoryUsed / MEBIBYTE).toFixed(1)} MiB`,
    peer: `${(naive / MEBIBYTE).toFixed(1)} MiB`,
    peerName: "all rows in an array",
    ratio: naive / Math.max(memoryUsed, 1_024),
    goals: [atMost(memoryUsed / MEBIBYTE, 8, " MiB")],
  };
}

function createResolver() {
  let resolve = () => {};
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function measureMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** In milliseconds. */
export function readProcessorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
