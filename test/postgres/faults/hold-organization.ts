import { postgresStorage } from "loyalty-kit/postgres";
import { awaitInStep } from "../../../src/base/concurrency/step.js";
import { addTag } from "../../sqlite/records.js";

/* Is in the middle of a change of the organization "acme" when it says "ready", and goes on when it was stopped and is continued. */
const [, , url = ""] = process.argv;
const storage = await postgresStorage(url);
await storage.transaction("acme", function* (tx) {
  yield* addTag(tx, "unfinished");
  // Before it says so: it may be stopped at once.
  const continued = new Promise<void>((resolve) => process.once("SIGCONT", resolve));
  process.stdout.write("ready\n");
  // The timer keeps the process from ending until it is stopped.
  const timer = setInterval(() => undefined, 60_000);
  yield* awaitInStep(continued);
  clearInterval(timer);
});
