import assert from "node:assert/strict";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { createMail } from "loyalty-kit/mail";
import type { Bench } from "./bench.js";
import { type Acme, ANY_RATE, email, openAcme, processorTime, sender, sendsAtOnce } from "./mail.js";
import { MailsByHand } from "./mails-by-hand.js";
import { atMost, inMs, print, rateOf, whole } from "./report.js";
import { medianOf } from "./timing.js";

const BATCH = 1_000;
const MOST = 100_000;
const MEBIBYTE = 2 ** 20;
const SAMPLE_MS = 20;

/**
 * A message by mail to all customers through a way out that answers at once, from the call that sends it until it is `SENT`, against
 * as many mails by hand; and what other calls, the event loop and the memory of the process have of it.
 */
export const messages: Bench = async ({ folder, users }) => {
  const people = Math.min(users, MOST);
  const sent = await timeMessage(await subscribed(join(folder, "message.db"), people), people);
  const byHand = await timeByHand(join(folder, "by-hand.db"), people);
  print(`A message by mail to ${whole(people)} customers (ratio: share of the rate by hand)`, [
    {
      what: "mails a second of processor time",
      ours: `${rateOf(people, sent.processorMs)}, ${(sent.ms / 1_000).toFixed(1)} s in all`,
      peer: rateOf(people, byHand),
      peerName: "queued, claimed, sent and settled by hand",
      ratio: byHand / sent.processorMs,
      goals: [],
    },
  ]);
  print("Beside it (ratio: times the median of other calls before it)", [
    {
      what: "users.create",
      ours: `${inMs(sent.during)}, ${inMs(sent.worst)} at worst`,
      peer: inMs(sent.before),
      peerName: "before it",
      ratio: sent.during / sent.before,
      isLessBetter: true,
      goals: [
        atMost(sent.stall, 100, " ms of stall"),
        atMost(sent.memory / MEBIBYTE, 200, " MiB above idle"),
      ],
    },
  ]);
};

/** Opens an organization with so many customers who have agreed to mails. */
async function subscribed(file: string, people: number): Promise<Acme> {
  const opened = await openAcme(file);
  for (let at = 0; at < people; at += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, people - at) }, () => ({
      ...{ email: email(), emailConsent: "SUBSCRIBED" as const, consentAt: "2026-01-01T00:00:00Z" },
    }));
    assert.deepEqual((await opened.acme.users.import(rows)).failed, []);
  }
  return opened;
}

async function timeMessage({ loyalty, acme, template }: Acme, people: number) {
  const mail = createMail(loyalty, { ...sender, rate: ANY_RATE, smtp: sendsAtOnce });
  const { id } = await acme.messages.create({
    ...{ name: "News", audience: { all: true }, channels: ["email"], templateId: template },
    texts: [{ language: "en", subject: "News for {name}", text: "There is cake again, {name}." }],
  });
  const other = async () => {
    const begun = performance.now();
    await acme.users.create({ email: email() });
    return performance.now() - begun;
  };
  const before: number[] = [];
  for (let at = 0; at < 50; at += 1) before.push(await other());
  const idle = process.memoryUsage.rss();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const during: number[] = [];
  let most = idle;
  const [begun, processor] = [performance.now(), processorTime()];
  delay.enable();
  await acme.messages.send(id);
  for (let isSent = false; !isSent; ) {
    await setTimeout(SAMPLE_MS);
    during.push(await other());
    most = Math.max(most, process.memoryUsage.rss());
    isSent = (await acme.messages.get(id)).status === "SENT";
  }
  delay.disable();
  const [ms, processorMs] = [performance.now() - begun, processorTime() - processor];
  const { sums } = await acme.messages.get(id);
  assert.equal(sums?.accepted, people);
  await mail.close();
  await loyalty.close();
  return {
    ...{ ms, processorMs, memory: most - idle, stall: delay.max / 1e6 },
    ...{ before: medianOf(before), during: medianOf(during), worst: Math.max(...during) },
  };
}

async function timeByHand(file: string, count: number): Promise<number> {
  const mails = new MailsByHand(file);
  const start = processorTime();
  for (let at = 0; at < count; at += BATCH)
    mails.queueAll(Array.from({ length: Math.min(BATCH, count - at) }, email));
  await mails.sendAll(async () => {});
  const time = processorTime() - start;
  assert.equal(mails.accepted, count);
  mails.close();
  return time;
}
