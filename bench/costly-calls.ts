import { LoyaltyService } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { behaviorFile, NOW } from "./behavior-file.js";
import type { Bench } from "./bench.js";
import { costliestCalls } from "./costliest.js";
import { ORGANIZATION, userId } from "./customers.js";
import { sender, sendsAtOnce } from "./mail.js";
import { copyOf } from "./our-file.js";
import { inMs, printTable, whole } from "./report.js";
import { stalled } from "./stalled.js";
import { type ReadiedWork, timeInTurn, type Work } from "./timing.js";

const MOST_USERS = 20_000;

/** Far more than a bench creates: what is refused costs nothing. */
const ANY = 1_000_000;

/**
 * The most costly call that is allowed, of every operation, as a multiple of `users.get`, and for how long it keeps the process from
 * anything else. The costliest come first. What it says is for who sets the budgets of organizations.
 */
export const costlyCalls: Bench = async ({ shared, folder, users: asked, rounds, sliceMs }) => {
  const users = Math.min(asked, MOST_USERS);
  const file = copyOf(await behaviorFile(shared, users), folder, "costly");
  let now = NOW;
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(file),
    clock: () => now,
    limits: { sendingMessages: ANY, pendingDeliveries: ANY, pendingDeliveriesPerEndpoint: ANY },
  });
  const mail = createMail(loyalty, { ...sender, smtp: sendsAtOnce });
  const acme = loyalty.organization(ORGANIZATION);
  const get = () => acme.users.get(userId(0));
  const costliest = await costliestCalls(acme, (ms) => {
    now += ms;
  });
  const lines: [name: string, ms: number, stallMs: number][] = [];
  for (const [group, calls] of Object.entries(costliest)) {
    for (const [name, call] of Object.entries(calls)) {
      const stallMs = await stallOf(call);
      const timeOf = await timeInTurn({ call }, { rounds: Math.min(rounds, 3), sliceMs });
      lines.push([`${group}.${name}`, timeOf("call"), stallMs]);
    }
  }
  const timeOf = await timeInTurn({ get }, { rounds, sliceMs });
  const least = timeOf("get");
  await mail.close();
  await loyalty.close();
  printTable(
    `The most costly call of each operation, ${whole(users)} users (ratio: times users.get, ${inMs(least)})`,
    Object.fromEntries(
      lines
        .toSorted(([, one], [, other]) => other - one)
        .map(([name, ms, stallMs]) => [
          name,
          { time: inMs(ms), ratio: whole(ms / least), "longest stall": inMs(stallMs) },
        ]),
    ),
  );
};

async function stallOf(call: Work | ReadiedWork): Promise<number> {
  if (typeof call === "function") return (await stalled(call)).stallMs;
  await call.ready();
  return (await stalled(call.work)).stallMs;
}
