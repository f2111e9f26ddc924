import type { StorageAdapter } from "loyalty-kit";
import { automationJobs, type StoredAutomation } from "../../src/storage/automations.js";

export interface AutomationInput {
  readonly on: unknown;
  readonly do: readonly unknown[];
  readonly if?: unknown;
  readonly after?: number;
  readonly per?: unknown;
  readonly creatorId?: string;
}

/** Inserts an automation of "acme" that starts now. @returns its id. */
export async function insertAutomation(
  storage: StorageAdapter,
  input: AutomationInput,
  at: number,
): Promise<string> {
  const id = `aut_${crypto.randomUUID()}`;
  await storage.transaction("acme", function* (tx) {
    const newest = yield* tx.newestEventPosition();
    if ((yield* tx.lockQueue(automationJobs)) === null)
      yield* tx.insertQueue(automationJobs, { position: newest, createdAt: at });
    const row: StoredAutomation = {
      ...{ id, name: id, isEnabled: true, version: 1, on: JSON.stringify(input.on) },
      if: input.if === undefined ? null : JSON.stringify(input.if),
      ...{
        after: input.after ?? 0,
        do: JSON.stringify(input.do),
        per: JSON.stringify(input.per ?? "occasion"),
      },
      ...{ startPosition: newest, creatorId: input.creatorId ?? null, dateDay: null, dateCursor: 0 },
      ...{ createdAt: at, updatedAt: at },
    };
    yield* tx.insertAutomation(row);
  });
  return id;
}
