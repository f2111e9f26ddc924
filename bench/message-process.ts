import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { createMail } from "loyalty-kit/mail";
import { ANY_RATE, openAcme, readProcessorTime, sender, sendsAtOnce } from "./mail.js";
import { medianOf } from "./timing.js";

const SAMPLE_MS = 20;
const BEFORE = 50;

/** The cost of a message, and its effect on other calls, the event loop and the memory of its process. */
export interface SentMessage {
  /** From the call that sends it until it is `SENT`, in milliseconds. */
  readonly ms: number;
  readonly processorMs: number;
  /** The peak memory of the process in the meantime, above that before, in bytes. */
  readonly memory: number;
  /** The longest time that the event loop was blocked, in milliseconds. */
  readonly stall: number;
  /** The time of another call before and during the message: the median, and the longest. */
  readonly before: number;
  readonly during: number;
  readonly worst: number;
}

// In its own process: the more a process holds, the later its heap collects garbage.
const [, , file = "", people = ""] = process.argv;
console.log(JSON.stringify(await sendMessage(file, Number(people))));

async function sendMessage(file: string, customerCount: number): Promise<SentMessage> {
  const { loyalty, acme, template } = await openAcme(file);
  const mail = createMail(loyalty, { ...sender, rate: ANY_RATE, smtp: sendsAtOnce });
  const { id } = await acme.messages.create({
    ...{ name: "News", audience: { all: true }, channels: ["email"], templateId: template },
    texts: [{ language: "en", subject: "News for {name}", text: "There is cake again, {name}." }],
  });
  let createdCount = 0;
  const other = async () => {
    createdCount += 1;
    const startedAt = performance.now();
    await acme.users.create({ email: `other-${createdCount}@example.com` });
    return performance.now() - startedAt;
  };
  const before: number[] = [];
  while (before.length < BEFORE) before.push(await other());
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const durations: number[] = [];
  let maxMemory = idle;
  const [startTime, processor] = [performance.now(), readProcessorTime()];
  delay.enable();
  await acme.messages.send(id);
  for (let isSent = false; !isSent; ) {
    await setTimeout(SAMPLE_MS);
    durations.push(await other());
    maxMemory = Math.max(maxMemory, process.memoryUsage.rss());
    isSent = (await acme.messages.get(id)).status === "SENT";
  }
  delay.disable();
  const [ms, processorMs] = [performance.now() - startTime, readProcessorTime() - processor];
  const { sums } = await acme.messages.get(id);
  assert.equal(sums?.accepted, customerCount);
  await mail.close();
  await loyalty.close();
  return {
    ...{ ms, processorMs, memory: maxMemory - idle, stall: delay.max / 1e6 },
    ...{ before: medianOf(before), during: medianOf(durations), worst: Math.max(...durations) },
  };
}
