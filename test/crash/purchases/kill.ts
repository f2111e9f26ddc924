import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { bundleProgram } from "../../kit/bundled-program.js";
import { retention } from "../organization.js";
import { openStorage } from "../wallets/place.js";
import { computeRest, ORGANIZATION, SPENT, STEPS_OF_VISIT, takeStep } from "./shop.js";

const CARDS = 20;
/** Maximum time that a process works before it is killed, in milliseconds. */
const LONGEST_MS = 400;

/**
 * Kills a process repeatedly, at any moment, while customers buy, bring something back, and spend points. The next process
 * repeats the call that wasn't answered.
 * @returns the number of visits.
 * @throws if a purchase, a return, or spent points are missing or count twice, or if the check finds anything.
 */
export async function killTills(database: string, kills: number): Promise<number> {
  const storage = await openStorage(database);
  const loyalty = new LoyaltyService({ storage, retention });
  const acme = loyalty.organization(ORGANIZATION);
  const cards = await createCards(acme);
  let next = 0;
  for (let kill = 1; kill <= kills; kill += 1) next += await killAfterSteps(database, cards, next);
  const visits = Math.ceil((next + 1) / STEPS_OF_VISIT);
  for (; next < visits * STEPS_OF_VISIT; next += 1) await takeStep(acme, cards, next);
  await assertOnce(acme, cards, visits);
  assert.deepEqual(await checkStorage(storage, { organizationId: ORGANIZATION }), []);
  await loyalty.close();
  return visits;
}

async function createCards({ templates, passes }: Organization): Promise<string[]> {
  const earning = { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] };
  const club = await templates.create({ name: "Club", type: "LOYALTY_CARD", points: {}, earning });
  const cards: string[] = [];
  for (let nth = 0; nth < CARDS; nth += 1)
    cards.push((await passes.create(club.id, { user: { email: `customer-${nth}@example.com` } })).id);
  return cards;
}

/** Starts a process and kills it. @returns how many of its steps were answered. */
async function killAfterSteps(database: string, cards: readonly string[], first: number): Promise<number> {
  const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
  const worker = spawn(process.execPath, [program, database, JSON.stringify(cards), String(first)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  worker.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const exit = once(worker, "close");
  await once(worker.stdout, "data");
  await pause(Math.random() * LONGEST_MS);
  worker.kill("SIGKILL");
  await exit;
  // The first line says that the process is ready, and the last line may be cut off.
  return output.split("\n").length - 2;
}

async function assertOnce(acme: Organization, cards: readonly string[], visits: number): Promise<void> {
  const balances = new Map(cards.map((id) => [id, 0]));
  for (let visit = 0; visit < visits; visit += 1) {
    const { amount, points } = computeRest(visit);
    const purchase = await acme.purchases.get("till", String(visit));
    assert.equal(purchase.total - purchase.returnedTotal, amount);
    assert.deepEqual(
      purchase.effects.map(({ units }) => units),
      [points],
    );
    const id = cards[visit % cards.length] ?? "";
    balances.set(id, (balances.get(id) ?? 0) + points - SPENT);
  }
  for (const [id, balance] of balances) assert.equal((await acme.points.state(id)).available, balance);
  const counts = await countEvents(acme);
  for (const type of ["purchase.recorded", "purchase.changed", "points.earned", "points.spent"])
    assert.equal(counts.get(type), visits, `${type} is recorded once for each visit`);
}

async function countEvents({ events }: Organization): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let after = "0"; ; ) {
    const { content, next } = await events.list({ after, limit: 1_000 });
    for (const { type } of content) counts.set(type, (counts.get(type) ?? 0) + 1);
    if (next === after) return counts;
    after = next;
  }
}
