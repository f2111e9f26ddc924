import { CompiledQuery } from "kysely";
import { expect, it } from "vitest";
import type { Executor } from "../../adapters/storage/kysely/session/session.js";
import { GuardedSession } from "../../adapters/storage/kysely/session/session.js";
import { runStep } from "../../src/base/concurrency/step.js";

const queryError = new Error("refused");
const statement = CompiledQuery.raw("select 1");

it.each([
  [
    "immediately",
    () => {
      throw queryError;
    },
  ],
  ["later", () => Promise.reject(queryError)],
])("a statement that fails %s rejects its step, and so do later statements", async (_when, change) => {
  const session = new GuardedSession(createExecutor(change));
  const step = session.change(statement);
  await expect(runStep(step)).rejects.toBe(queryError);
  await expect(runStep(session.all(statement))).rejects.toBe(queryError);
  expect(() => session.assertNotFailed()).toThrow(queryError);
});

it("no statement runs after the end of the session, not even the rest of a series", async () => {
  let changes = 0;
  const session = new GuardedSession(
    createExecutor(async () => {
      changes += 1;
      session.end();
      return 1;
    }),
  );
  await expect(runStep(session.changeEach([statement, statement]))).rejects.toThrow("has ended");
  await expect(runStep(session.change(statement))).rejects.toThrow("has ended");
  expect(changes).toBe(1);
});

/** Creates an executor whose queries return no rows. */
function createExecutor(change: Executor["change"]): Executor {
  return { isBlocking: false, all: () => [], change, changeEach: null, toPortError: (error) => error };
}
