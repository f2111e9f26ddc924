import { LoyaltyService } from "loyalty-kit";
import { createMetrics } from "loyalty-kit/observability";
import { expect, it, vi } from "vitest";
import { inspectDriver } from "../../adapters/storage/sqlite/inspection.js";
import { refused } from "../kit/refused-threads.js";
import { open } from "./open-storage.js";

vi.mock("node:worker_threads", () => import("../kit/refused-threads.js"));

it("large changes run without threads if none can start, which is tried once and reported once to each service, with the cause", async () => {
  const warnings: unknown[] = [];
  const onError = (error: unknown) => warnings.push(error);
  const loyalty = new LoyaltyService({ storage: await open(), onError });
  const { tags, users } = loyalty.organization("acme");
  await tags.create({ name: "Regular" });
  await users.create({ email: "ada@example.com" });
  for (const time of ["first", "second"]) expect(await tags.rebuildIndex(), time).toBeUndefined();
  expect(refused.tries).toBe(1);
  const report = {
    name: "MissingThreadError",
    message:
      "Large SQLite transactions block the event loop, because a worker thread can't start: Access to this API has been restricted",
    cause: { code: "ERR_ACCESS_DENIED" },
  };
  expect(warnings).toMatchObject([report]);

  const later: unknown[] = [];
  const other = new LoyaltyService({ storage: await open(), onError: (error) => later.push(error) });
  expect(later).toMatchObject([report]);
  expect(await createMetrics(other).text()).toContain(
    'loyalty_threads_missing{work="large_changes",cause="ERR_ACCESS_DENIED"} 1\n',
  );

  // The doctor tries to start the checkpoint thread.
  await inspectDriver();
  await inspectDriver();
  expect(warnings).toMatchObject([report, { work: "checkpoints" }]);
  expect(later).toHaveLength(2);
  expect(refused.tries).toBe(2);
});
