import { inspect } from "node:util";
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { migratePostgres, postgresStorage } from "loyalty-kit/postgres";
import { recordEvents } from "../../events/recorded-events.js";
import { waitForStart } from "../../sqlite/processes/ready.js";
import type { Report } from "./fight.js";
import { createOperations, type Operation } from "./operations.js";
import { card, ORGANIZATION, retention } from "./organization.js";

/*
 * Migrates the tables to this release and runs its operations, two at a time, while other workers do the
 * same. Then it prints its report.
 */
const [, , url = "", seed = "", number = "", count = ""] = process.argv;
const toDo = createOperations(Number(seed), Number(number), Number(count)).values();

await waitForStart();
const { from } = await migratePostgres(url);
const report: Report = { from, done: 0, refused: 0, wrong: [], heard: [] };
const loyalty = new LoyaltyService({
  storage: await postgresStorage(url),
  retention,
  onError: (error) => report.wrong.push(`beside any call: ${inspect(error)}`),
});
const events = recordEvents(loyalty);
const acme = loyalty.organization(ORGANIZATION);
if (number === "0") await acme.templates.create(card);
await Promise.all([runOperations(), runOperations()]);
await loyalty.close();
report.heard.push(...events.map(({ id }) => id));
process.stdout.write(`${JSON.stringify(report)}\n`);

async function runOperations(): Promise<void> {
  for (const operation of toDo) await attemptOperation(operation);
}

async function attemptOperation({ what, run }: Operation): Promise<void> {
  try {
    await run(acme);
    report.done += 1;
  } catch (error) {
    if (isLoyaltyError(error) && [404, 409, 422].includes(error.status)) report.refused += 1;
    else report.wrong.push(`${what}: ${inspect(error)}`);
  }
}
