import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createFakeApns, createFakePki } from "loyalty-kit/testing";
import { bundleProgram } from "../../kit/bundled-program.js";
import { createAppleOptions, createCards } from "./cards.js";
import { openStorage } from "./place.js";

const CARDS = 20;

/**
 * Longer than the lease of a claim. The clock of each process is ahead by that, so that claims of the previous process are due
 * again.
 */
const LATER_MS = 120_000;

/** Maximum wait for something that must happen, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Kills a process that updates phones repeatedly, at any moment, while stamps are added.
 * @returns the numbers of stamps and pushes.
 * @throws if a phone is left with an old state, or complains.
 */
export async function killTellers(
  database: string,
  kills: number,
): Promise<{ stamps: number; pushes: number }> {
  const pki = createFakePki();
  const apns = await createFakeApns(pki);
  const apple = createAppleOptions({ pki, apns });
  const cards = await createCards(await openStorage(database), { pki, apns }, CARDS);
  let stamps = 0;
  let isStamping = true;
  const stamping = (async () => {
    for (; isStamping; stamps += 1) {
      await cards.stamp(stamps);
      await pause(10);
    }
  })();
  for (let kill = 1; kill <= kills; kill += 1) {
    const teller = await startTeller(database, { apple, aheadMs: kill * LATER_MS });
    const before = apns.pushes.length;
    await waitUntil(() => apns.pushes.length > before, "no push went out");
    await pause(Math.random() * 300);
    await killTeller(teller);
  }
  isStamping = false;
  await stamping;

  const survivor = await startTeller(database, { apple, aheadMs: (kills + 1) * LATER_MS });
  await waitUntil(async () => (await cards.findStale()).length === 0, "a phone shows an old state");
  assert.deepEqual(cards.listComplaints(), []);
  await killTeller(survivor);
  await cards.close();
  await apns.close();
  return { stamps, pushes: apns.pushes.length };
}

async function startTeller(database: string, setup: object): Promise<ChildProcess> {
  const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
  const teller = spawn(process.execPath, [program, database, JSON.stringify(setup)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(teller.stdout, "data");
  return teller;
}

async function killTeller(teller: ChildProcess): Promise<void> {
  teller.kill("SIGKILL");
  await once(teller, "exit");
}

async function waitUntil(isSo: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(otherwise);
    await pause(20);
  }
}
