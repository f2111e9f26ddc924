import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createSegmentWorker } from "loyalty-kit/webhooks";
import { serviceInternals } from "../src/internals.js";
import { NOW } from "./behavior-file.js";
import { cycleScattered, hasPass, ORGANIZATION, passId } from "./customers.js";
import { CALLERS, runConcurrently, runInTurn } from "./writes.js";

/* Stamps a file's cards on request, or follows its segments, and reports when that is done. */
const [, , file = "", users = "", before = "", way = "", follows = ""] = process.argv;
const holders = cycleScattered(
  Array.from({ length: Number(users) }, (_, ordinal) => ordinal).filter(hasPass),
);
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), clock: () => NOW });
const worker = follows === "" ? null : createSegmentWorker(loyalty);
const { stamps } = loyalty.organization(ORGANIZATION);
const addStamp = () => stamps.add(passId(holders.next().value));
const stampAll = (way === "at once" ? runConcurrently : runInTurn)(addStamp);
// A service that has run for a while has compiled code, and pages in its caches.
for (let at = 0; at < Number(before); at += CALLERS) await runConcurrently(addStamp)();

async function stampForMs(ms: number): Promise<number> {
  const start = performance.now();
  let givenCount = 0;
  while (performance.now() < start + ms) {
    await stampAll();
    givenCount += CALLERS;
  }
  return (performance.now() - start) / givenCount;
}

async function waitUntilIdle(): Promise<void> {
  const backend = serviceInternals(loyalty).backends.segments;
  while ((await backend.queuesWithDueJobs(1)).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

process.on("message", async (message: { stamp?: number; idle?: true; close?: true }) => {
  const { stamp, idle, close } = message;
  let result = 0;
  if (stamp !== undefined) result = await stampForMs(stamp);
  if (idle) await waitUntilIdle();
  if (close) {
    await worker?.close();
    await loyalty.close();
  }
  process.send?.(result);
  if (close) process.disconnect();
});
process.send?.("ready");
