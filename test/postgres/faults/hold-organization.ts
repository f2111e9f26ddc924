import { postgresStorage } from "loyalty-kit/postgres";
import { awaitInStep } from "../../../src/base/concurrency/step.js";
import { addTag } from "../../sqlite/records.js";

/*
 * Prints "ready" in the middle of a change of the organization "acme". Continues after it was stopped and
 * resumed.
 */
const [, , url = ""] = process.argv;
const storage = await postgresStorage(url);
await storage.transaction("acme", function* (tx) {
  yield* addTag(tx, "unfinished");
  // Registered before it prints, because it may be stopped immediately.
  const continued = new Promise<void>((resolve) => process.once("SIGCONT", resolve));
  process.stdout.write("ready\n");
  // The timer keeps the process running until it is stopped.
  const timer = setInterval(() => undefined, 60_000);
  yield* awaitInStep(continued);
  clearInterval(timer);
});
