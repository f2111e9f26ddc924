import { expect, it, onTestFinished } from "vitest";
import { createPlace } from "./place.js";
import { runFight } from "./processes/fight.js";

it("eight processes create the tables and change one organization at the same time, and emit each change once", async () => {
  const place = await createPlace();
  onTestFinished(place.remove);
  const outcome = await runFight(place.url, { seed: 1, processes: 8, operations: 150 });
  expect(outcome.openers, "one process creates the tables, and the others find them").toBe(1);
  // Lower numbers would mean that the processes don't interfere with each other.
  expect(outcome.done).toBeGreaterThan(400);
  expect(outcome.refused).toBeGreaterThan(200);
});
