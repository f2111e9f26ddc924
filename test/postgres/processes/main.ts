import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runInNewSchema } from "../new-schema.js";
import { startServer } from "../server.js";
import { runFight } from "./fight.js";

/*
 * Lets many processes change one organization at the same time, for longer than a test does. The seed
 * determines the operations, so a failed run can be repeated. How the processes interleave is random.
 */
const { values } = parseArgs({
  options: {
    operations: { type: "string", default: "1000" },
    processes: { type: "string", default: "8" },
    seed: { type: "string", default: `${randomInt(1_000_000)}` },
  },
});
const seed = Number(values.seed);
const processes = Number(values.processes);
const operations = Number(values.operations);
console.log(`${processes} processes with ${operations} operations each; seed ${seed}`);

const server = await startServer();
try {
  await runInNewSchema(server.url, async (url) => {
    const start = performance.now();
    const { done, refused, events } = await runFight(url, { seed, processes, operations });
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    console.log(`${done} answered, ${refused} refused, ${events} events in ${seconds} s: all of it is right`);
  });
} finally {
  await server.stop();
}
