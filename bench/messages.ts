import assert from "node:assert/strict";
import { join } from "node:path";
import { runProgram } from "./aside.js";
import type { Bench } from "./bench.js";
import { nextEmail, openAcme, readProcessorTime } from "./mail.js";
import { MailsByHand } from "./mails-by-hand.js";
import type { SentMessage } from "./message-process.js";
import { atMost, formatMs, formatRate, formatWhole, print } from "./report.js";

const BATCH = 1_000;
const MOST = 100_000;
const MEBIBYTE = 2 ** 20;

/**
 * A message by mail to all customers through a transport that accepts immediately, from the call that sends it until it is
 * `SENT`, against as many mails by hand; and its effect on other calls, the event loop and the memory of the process.
 */
export const runMessages: Bench = async ({ folder, users }) => {
  const customerCount = Math.min(users, MOST);
  const file = join(folder, "message.db");
  await createSubscribers(file, customerCount);
  const result = await runProgram<SentMessage>("message-process", file, customerCount);
  const byHand = await timeByHand(join(folder, "by-hand.db"), customerCount);
  print(`A message by mail to ${formatWhole(customerCount)} customers (ratio: share of the rate by hand)`, [
    {
      label: "mails a second of processor time",
      ours: `${formatRate(customerCount, result.processorMs)}, ${(result.ms / 1_000).toFixed(1)} s in all`,
      peer: formatRate(customerCount, byHand),
      peerName: "queued, claimed, sent and settled by hand",
      ratio: byHand / result.processorMs,
      goals: [],
    },
  ]);
  print("Beside it (ratio: times the median of other calls before it)", [
    {
      label: "users.create",
      ours: `${formatMs(result.during)}, ${formatMs(result.worst)} at worst`,
      peer: formatMs(result.before),
      peerName: "before it",
      ratio: result.during / result.before,
      isLessBetter: true,
      goals: [
        atMost(result.stall, 100, " ms of stall"),
        atMost(result.memory / MEBIBYTE, 200, " MiB above idle"),
      ],
    },
  ]);
};

/** Creates a file with an organization of this many customers who have agreed to mails. */
async function createSubscribers(file: string, customerCount: number): Promise<void> {
  const { loyalty, acme } = await openAcme(file);
  for (let at = 0; at < customerCount; at += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, customerCount - at) }, () => ({
      ...{ email: nextEmail(), emailConsent: "SUBSCRIBED" as const, consentAt: "2026-01-01T00:00:00Z" },
    }));
    assert.deepEqual((await acme.users.import(rows)).failed, []);
  }
  await loyalty.close();
}

async function timeByHand(file: string, count: number): Promise<number> {
  const mails = new MailsByHand(file);
  const start = readProcessorTime();
  for (let at = 0; at < count; at += BATCH)
    mails.queueAll(Array.from({ length: Math.min(BATCH, count - at) }, nextEmail));
  await mails.sendAll(async () => {});
  const time = readProcessorTime() - start;
  assert.equal(mails.accepted, count);
  mails.close();
  return time;
}
