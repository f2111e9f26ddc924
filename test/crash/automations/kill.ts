import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LoyaltyService } from "loyalty-kit";
import { runStep } from "../../../src/base/concurrency/step.js";
import { insertAutomation } from "../../automations/stored-automation.js";
import { bundleProgram } from "../../kit/bundled-program.js";
import { killSender } from "../mail/senders.js";
import { openStorage } from "../wallets/place.js";

const CUSTOMERS = 400;

/** Longer than the lease of a claim. The clocks of each pair of processes are ahead by that. */
const LATER_MS = 61_000;

export interface KilledRuns {
  readonly events: number;
  readonly doneCount: number;
  /** Runs that were skipped because of the hourly limit. */
  readonly skippedCount: number;
}

/**
 * Starts two processes that run automations from one database, and kills both in turn, repeatedly, at any moment, while customers
 * get stamps. An automation adds two more for each.
 * @throws if an event has no run or two; a run is done without its stamps or with twice as many; or a customer has more than five
 * an hour.
 */
export async function killAutomations(database: string, kills: number): Promise<KilledRuns> {
  const storage = await openStorage(database);
  const loyalty = new LoyaltyService({ storage });
  const acme = loyalty.organization("acme");
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const cards: { readonly id: string; readonly userId: string }[] = [];
  for (let nth = 0; nth < CUSTOMERS; nth += 1)
    cards.push(await acme.passes.create(template.id, { user: { email: `customer-${nth}@example.com` } }));
  const stampAction = { addStamps: { templateId: template.id, count: 1 } };
  const id = await insertAutomation(
    storage,
    { on: { event: "stamp.added" }, do: [stampAction, stampAction] },
    Date.now(),
  );
  let isStamping = true;
  let events = 0;
  const stamping = (async () => {
    for (; isStamping; await pause(5)) {
      const card = cards[Math.floor(Math.random() * CUSTOMERS)];
      if (card !== undefined) await acme.stamps.add(card.id);
      events += 1;
    }
  })();
  stamping.catch(() => {});
  for (let round = 1; round <= kills; round += 1) {
    const workers = await Promise.all([
      startWorker(database, round * LATER_MS),
      startWorker(database, round * LATER_MS),
    ]);
    for (const worker of workers) {
      await pause(Math.random() * 400);
      await killSender(worker);
    }
  }
  isStamping = false;
  await stamping;
  const last = new LoyaltyService({ storage, clock: () => Date.now() + (kills + 1) * LATER_MS });
  await last.runAutomations();

  let [doneCount, skippedCount] = [0, 0];
  for (const card of cards) {
    const query = { status: null, page: 0, size: 10_000 };
    const { items } = await runStep(
      storage.reader("acme").listAutomationRuns({ userId: card.userId }, query),
    );
    const { content } = await acme.stamps.history(card.id, { size: 200, actorKind: "library" });
    const automationEntries = await acme.stamps.history(card.id, {
      size: 200,
      actorKind: "automation",
      actorId: id,
    });
    assert.equal(items.length, content.length, `each stamp of ${card.id} has one run`);
    assert.equal(new Set(items.map(({ occasion }) => occasion)).size, items.length, "no stamp has two runs");
    const endedCount = items.filter(({ status }) => status === "DONE").length;
    assert.equal(automationEntries.totalElements, 2 * endedCount, `${card.id} has two stamps of each run`);
    for (const { status, reason } of items)
      assert(status === "DONE" || reason === "too_many_runs", `a run is ${status} ${reason}`);
    doneCount += endedCount;
    skippedCount += items.length - endedCount;
  }
  assert.equal(doneCount + skippedCount, events);
  await loyalty.close();
  return { events, doneCount, skippedCount };
}

async function startWorker(database: string, aheadMs: number): Promise<ChildProcess> {
  const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
  const worker = spawn(process.execPath, [program, database, String(aheadMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(worker.stdout, "data");
  return worker;
}
