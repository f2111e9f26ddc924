import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createFakeApns, createFakePki } from "loyalty-kit/testing";
import { bundleProgram } from "../../kit/bundled-program.js";
import { appleOptions, someCards } from "./cards.js";
import { openedPlace } from "./place.js";

const CARDS = 20;

/** Longer than a claim holds. The clock of each process is ahead by that: what the one before had claimed is due again. */
const LATER_MS = 120_000;

/** How long may pass until something happens that has to. */
const PATIENCE_MS = 60_000;

/**
 * Kills a process that tells phones of stamps again and again, at any moment, while stamps are added.
 * @returns how many stamps there were, and how many pushes.
 * @throws when a phone is left in an old state, or complained.
 */
export async function killTellers(place: string, kills: number): Promise<{ stamps: number; pushes: number }> {
  const pki = createFakePki();
  const apns = await createFakeApns(pki);
  const apple = appleOptions({ pki, apns });
  const cards = await someCards(await openedPlace(place), { pki, apns }, CARDS);
  let stamps = 0;
  let isStamping = true;
  const stamping = (async () => {
    for (; isStamping; stamps += 1) {
      await cards.stamp(stamps);
      await pause(10);
    }
  })();
  for (let kill = 1; kill <= kills; kill += 1) {
    const teller = await startTeller(place, { apple, aheadMs: kill * LATER_MS });
    const before = apns.pushes.length;
    await until(() => apns.pushes.length > before, "no push went out");
    await pause(Math.random() * 300);
    await end(teller);
  }
  isStamping = false;
  await stamping;

  const survivor = await startTeller(place, { apple, aheadMs: (kills + 1) * LATER_MS });
  await until(async () => (await cards.stale()).length === 0, "a phone shows an old state");
  assert.deepEqual(cards.complaints(), []);
  await end(survivor);
  await cards.close();
  await apns.close();
  return { stamps, pushes: apns.pushes.length };
}

async function startTeller(place: string, setup: object): Promise<ChildProcess> {
  const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
  const teller = spawn(process.execPath, [program, place, JSON.stringify(setup)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(teller.stdout, "data");
  return teller;
}

async function end(teller: ChildProcess): Promise<void> {
  teller.kill("SIGKILL");
  await once(teller, "exit");
}

async function until(isSo: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(otherwise);
    await pause(20);
  }
}
