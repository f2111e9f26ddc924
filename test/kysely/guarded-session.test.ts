import { CompiledQuery } from "kysely";
import { expect, it } from "vitest";
import type { Executor } from "../../adapters/storage/kysely/session/session.js";
import { GuardedSession } from "../../adapters/storage/kysely/session/session.js";
import { runStep } from "../../src/base/concurrency/step.js";

const refused = new Error("refused");
const statement = CompiledQuery.raw("select 1");

it.each([
  [
    "at once",
    () => {
      throw refused;
    },
  ],
  ["later", () => Promise.reject(refused)],
])(
  "a statement that fails %s fails when its step is run, and so do those after it",
  async (_when, change) => {
    const session = new GuardedSession(executing(change));
    const step = session.change(statement);
    await expect(runStep(step)).rejects.toBe(refused);
    await expect(runStep(session.all(statement))).rejects.toBe(refused);
    expect(() => session.assertNotFailed()).toThrow(refused);
  },
);

it("no statement runs after the end, nor the rest of several", async () => {
  let changes = 0;
  const session = new GuardedSession(
    executing(async () => {
      changes += 1;
      session.end();
      return 1;
    }),
  );
  await expect(runStep(session.changeEach([statement, statement]))).rejects.toThrow("has ended");
  await expect(runStep(session.change(statement))).rejects.toThrow("has ended");
  expect(changes).toBe(1);
});

/** One whose rows are none. */
function executing(change: Executor["change"]): Executor {
  return { isBlocking: false, all: () => [], change, changeEach: null, toPortError: (error) => error };
}
