import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { walletJobs } from "../../storage/wallets.js";
import { TestOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

export const walletQueues: Statements = {
  "queues of all organizations are served, those first that wait longest for a delivery": async (
    storage,
    acme,
  ) => {
    const organizations = [
      acme,
      new TestOrganization(storage, "globex"),
      new TestOrganization(storage, "initech"),
    ];
    for (const [at, organization] of organizations.entries()) {
      await organization.walletQueue();
      await organization.walletDelivery(await organization.walletCard(), { nextAttemptAt: 9 - at });
    }
    assert.deepEqual(await run(storage.queuesToServe(walletJobs, 10, 10)), ["initech", "globex", "acme"]);
    assert.deepEqual(await run(storage.queuesToServe(walletJobs, 10, 2)), ["initech", "globex"]);
    assert.deepEqual(await run(storage.queuesToServe(walletJobs, 7, 10)), ["initech"]);
  },
};
