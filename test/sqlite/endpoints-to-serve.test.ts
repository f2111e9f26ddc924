import Database from "better-sqlite3";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { createTemporaryFile } from "./temporary-file.js";

it("the query for endpoints with new events uses the index on the newest event of organizations", async () => {
  const file = createTemporaryFile();
  const prepared = vi.spyOn(Database.prototype, "prepare");
  onTestFinished(() => prepared.mockRestore());
  const storage = await sqliteStorage(file);
  onTestFinished(() => storage.close());
  await runStep(storage.all.endpointsWithDueWork(1_800_000_000_000, 10, 1_800_000_000_000));
  const look = prepared.mock.calls
    .map(([sql]) => sql)
    .find((sql) => /"loyalty_organizations" as "known"/.test(sql));
  const other = new Database(file);
  onTestFinished(() => void other.close());
  const plan = other
    .prepare<unknown[], { detail: string }>(`explain query plan ${look}`)
    .all(...Array.from({ length: (look?.match(/\?/g) ?? []).length }, () => 0))
    .map(({ detail }) => detail);
  expect(plan[0]).toContain("loyalty_organizations_newest_event_minute");
});
