import { expect, it } from "vitest";
import { StatementGuard } from "../../adapters/kysely/session/statement-guard.js";
import { run } from "../../src/concurrency/step.js";

const refused = new Error("refused");
const fail = () => {
  throw refused;
};

it.each([
  ["at once", fail],
  ["later", () => Promise.reject(refused)],
])(
  "a statement that fails %s fails when its step is run, and so do those after it",
  async (_when, statement) => {
    const guard = new StatementGuard((error) => error);
    const step = guard.run(statement);
    await expect(run(step)).rejects.toBe(refused);
    await expect(run(guard.run(() => 1))).rejects.toBe(refused);
    expect(() => guard.assertSound()).toThrow(refused);
  },
);

it("no statement runs after the end", async () => {
  const guard = new StatementGuard((error) => error);
  guard.end();
  let hasRun = false;
  const step = guard.run(() => {
    hasRun = true;
  });
  await expect(run(step)).rejects.toThrow("over");
  expect(hasRun).toBe(false);
});
