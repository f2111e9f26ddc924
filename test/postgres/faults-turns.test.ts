import { LoyaltyService, type Organization } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { someEmail } from "../kit/acme.js";
import { openFaulty } from "./faults/backends.js";
import { unavailable } from "./faults/refused.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";

expectNothingUnhandled();

/** Opens organizations on a small pool, and locks one of them from an operator's session. */
async function openLocked(options: { readonly lockTimeoutMs: number }) {
  const { pool, place, other, waitForWaiting: waiting } = await openFaulty({ max: 3 });
  const loyalty = new LoyaltyService({ storage: await postgresStorage(pool, options) });
  onTestFinished(() => loyalty.close());
  const organizations = ["locked", "free"].map((id) => loyalty.organization(id));
  const [locked, free] = organizations as [Organization, Organization];
  for (const organization of organizations) await organization.users.create({ email: someEmail() });
  await other.query("begin");
  await other.query("select from loyalty_organizations where organization_id = 'locked' for update");
  return { place, pool, locked, free, other, waiting };
}

const many = Array.from({ length: 15 });

describe("while an operator's session has an organization locked", () => {
  it("its changes use one connection, and everything else continues immediately", async () => {
    const { locked, free, other, waiting, pool } = await openLocked({ lockTimeoutMs: 60_000 });
    const blockedCalls = many.map(() => locked.users.create({ email: someEmail() }));
    await waiting(1);
    const before = performance.now();
    for (let time = 0; time < 10; time += 1) {
      await free.users.create({ email: someEmail() });
      expect((await free.contacts.list()).totalElements).toBe(time + 2);
      expect((await locked.contacts.list()).totalElements).toBe(1);
    }
    expect(performance.now() - before).toBeLessThan(30_000);
    expect(pool.waitingCount).toBe(0);
    await other.query("rollback");
    await Promise.all(blockedCalls);
    expect((await locked.contacts.list()).totalElements).toBe(16);
  });

  it("each of its changes is refused in order, with an error that can be retried", async () => {
    const { locked } = await openLocked({ lockTimeoutMs: 200 });
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => locked.users.create({ email: someEmail() })),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { ...unavailable, cause: { code: "55P03" } },
      });
    }
  });
});

describe("the changes of one organization", () => {
  it("are refused if more than a thousand wait, or if one waits too long", async () => {
    const { pool } = await openFaulty({ max: 3, connectionTimeoutMillis: 1_000 });
    const storage = await postgresStorage(pool);
    onTestFinished(() => storage.close());
    let end = () => {};
    const gate = new Promise<void>((resolve) => {
      end = resolve;
    });
    const change = (organizationId: string, until: Promise<void>) =>
      storage.transaction(organizationId, function* () {
        yield until;
      });
    const first = change("acme", gate);
    const others = Array.from({ length: 1_001 }, () => change("acme", Promise.resolve()));
    await expect(others.at(-1)).rejects.toMatchObject(unavailable);
    await change("globex", Promise.resolve());
    for (const outcome of await Promise.allSettled(others)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
    }
    end();
    await first;
    await change("acme", Promise.resolve());
    expect(await runStep(storage.all.isEmpty())).toBe(true);
  });
});
