import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createSegmentWorker } from "loyalty-kit/webhooks";
import { serviceInternals } from "../src/internals.js";
import { NOW } from "./behavior-file.js";
import { hasPass, ORGANIZATION, passId, scattered } from "./customers.js";
import { atOnce, CALLERS, inTurn } from "./writes.js";

/* Stamps a file's cards, each time that it is asked to, or follows its segments, and says when that is done. */
const [, , file = "", users = "", before = "", way = "", follows = ""] = process.argv;
const holders = scattered(Array.from({ length: Number(users) }, (_, ordinal) => ordinal).filter(hasPass));
const loyalty = new LoyaltyService({ storage: await sqliteStorage(file), clock: () => NOW });
const worker = follows === "" ? null : createSegmentWorker(loyalty);
const { stamps } = loyalty.organization(ORGANIZATION);
const stamp = () => stamps.add(passId(holders.next().value));
const stampAll = (way === "at once" ? atOnce : inTurn)(stamp);
// A service that was not started just now has code that is compiled, and pages in its caches.
for (let at = 0; at < Number(before); at += CALLERS) await atOnce(stamp)();

async function stampFor(ms: number): Promise<number> {
  const start = performance.now();
  let given = 0;
  while (performance.now() < start + ms) {
    await stampAll();
    given += CALLERS;
  }
  return (performance.now() - start) / given;
}

async function becomeIdle(): Promise<void> {
  const backend = serviceInternals(loyalty).segmentBackend();
  while ((await backend.queuesWithDueJobs(1)).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

process.on("message", async (message: { stamp?: number; idle?: true; close?: true }) => {
  const { stamp, idle, close } = message;
  let answer = 0;
  if (stamp !== undefined) answer = await stampFor(stamp);
  if (idle) await becomeIdle();
  if (close) {
    await worker?.close();
    await loyalty.close();
  }
  process.send?.(answer);
  if (close) process.disconnect();
});
process.send?.("ready");
