import { LoyaltyService } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createBehaviorFile, NOW } from "./behavior-file.js";
import { type Bench, shorten } from "./bench.js";
import { createCostliestCalls, createRejectedCalls } from "./costliest.js";
import { ORGANIZATION, userId } from "./customers.js";
import { readProcessorTime, sender, sendsAtOnce } from "./mail.js";
import { copyFile } from "./our-file.js";
import { formatMs, formatWhole, printTable } from "./report.js";
import { measureStall } from "./stalled.js";
import { medianOf, type ReadiedWork, type Work } from "./timing.js";

const MOST_USERS = 20_000;
const MOST_ROUNDS = 3;

/** `users.get` is too short to be timed alone. */
const GETS = 2_000;

/** More than a benchmark uses up: a rejected call costs nothing. */
const ANY = 1_000_000;

/**
 * The processor time of the most expensive call that is allowed, for every operation, as a multiple of `users.get`, and how long
 * it blocks the process. The most expensive come first.
 */
export const runCostlyCalls: Bench = async (settings) => {
  const { sharedFolder, folder, rounds } = settings;
  const users = Math.min(settings.users, MOST_USERS);
  const file = copyFile(await createBehaviorFile(sharedFolder, users), folder, "costly");
  const clock = { now: NOW };
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(file),
    clock: () => clock.now,
    limits: { sendingMessages: ANY, pendingDeliveries: ANY, pendingDeliveriesPerEndpoint: ANY },
  });
  const mail = createMail(loyalty, { ...sender, smtp: sendsAtOnce });
  const acme = loyalty.organization(ORGANIZATION);
  const lines: [name: string, ms: number, stallMs: number][] = [];
  const groups = {
    ...(await createCostliestCalls(acme, clock, settings)),
    refused: createRejectedCalls(acme),
  };
  for (const [group, calls] of Object.entries(groups)) {
    for (const [name, call] of Object.entries<Work | ReadiedWork>(calls)) {
      const times: number[] = [];
      const { stallMs } = await measureStall(() => timeCall(call), settings);
      for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) times.push(await timeCall(call));
      lines.push([`${group}.${name}`, medianOf(times), stallMs]);
    }
  }
  const gets = shorten(GETS, settings);
  const get = await timeCall(async () => {
    for (let at = 0; at < gets; at += 1) await acme.users.get(userId(0));
  });
  const min = get / gets;
  await mail.close();
  await loyalty.close();
  printTable(
    `The most costly call of each operation, ${formatWhole(users)} users (ratio: times users.get, ${formatMs(min)} of processor time)`,
    Object.fromEntries(
      lines
        .toSorted(([, one], [, other]) => other - one)
        .map(([name, ms, stallMs]) => [
          name,
          {
            "processor time": formatMs(ms),
            ratio: formatWhole(ms / min),
            "longest stall": formatMs(stallMs),
          },
        ]),
    ),
  );
};

/** The processor time of a call in milliseconds, without its preparation. */
async function timeCall(call: Work | ReadiedWork): Promise<number> {
  const isReadied = typeof call !== "function";
  if (isReadied) await call.ready();
  const startedAt = readProcessorTime();
  await (isReadied ? call.work() : call());
  return readProcessorTime() - startedAt;
}
