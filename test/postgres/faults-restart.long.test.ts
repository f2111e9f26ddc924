import { setTimeout as pause } from "node:timers/promises";
import type { Organization } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openAcme } from "../kit/acme.js";
import { withSetting } from "./faults/backends.js";
import { expectWhole, Till } from "./faults/shop.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";
import { createPlace } from "./place.js";
import { type OwnServer, startOwnServer } from "./server.js";

let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});
afterAll(() => server?.stop());

expectNothingUnhandled();

/**
 * Creates a place on the server, which is removed with it. Commits are synchronous, so a crash loses none.
 */
async function createPlaceOnServer(): Promise<string> {
  const { url } = await createPlace(server.url);
  return withSetting(url, "synchronous_commit=on");
}

/** Lets tills sell until the work is done. @returns the tills. */
async function sellDuring(acme: Organization, tills: number, work: (all: Till[]) => Promise<void>) {
  await acme.tags.create({ name: "VIP" });
  const { id: card } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const all = Array.from({ length: tills }, () => new Till(acme, card));
  let isOpen = true;
  const selling = all.map(async (till) => {
    while (isOpen) {
      const { refused } = till;
      await till.sell();
      // As a caller would that retries later.
      if (till.refused > refused) await pause(20);
    }
  });
  const working = work(all).finally(() => {
    isOpen = false;
  });
  await Promise.all([working, ...selling]);
  return all;
}

const countRefused = (tills: readonly Till[]) => tills.reduce((sum, { refused }) => sum + refused, 0);
const listSold = (tills: readonly Till[]) => tills.flatMap(({ sold }) => sold);

/** Waits until each till has made this many more sales. */
async function waitUntilSold(tills: readonly Till[], count: number): Promise<void> {
  const aims = tills.map(({ sold }) => sold.length + count);
  await expect
    .poll(() => tills.every(({ sold }, at) => sold.length >= (aims[at] ?? 0)), {
      timeout: 30_000,
      interval: 20,
    })
    .toBe(true);
}

/** Kills a server process as if it had crashed, so that the server ends all others and recovers. */
async function crashServer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  const connectionEnd = new Promise((resolve) => client.once("error", resolve));
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  for (const { pid } of rows) process.kill(pid, "SIGKILL");
  await connectionEnd;
}

describe("a server that goes down under load and comes back", () => {
  it.each([
    ["our pool", false],
    ["a host's pool", true],
  ])("causes only errors that can be retried on %s when it restarts", async (_whose, hasPool) => {
    const url = await createPlaceOnServer();
    const pool = hasPool ? new pg.Pool({ connectionString: url }) : null;
    onTestFinished(async () => pool?.end());
    const { acme } = openAcme({ storage: await postgresStorage(pool ?? url) });
    const tills = await sellDuring(acme, 6, async (all) => {
      for (let restarts = 0; restarts < 3; restarts += 1) {
        await waitUntilSold(all, 3);
        await server.halt();
        await server.resume();
      }
      await waitUntilSold(all, 3);
    });
    expect(countRefused(tills)).toBeGreaterThan(0);
    await expectWhole(acme, listSold(tills));
  });

  it("causes only errors that can be retried when it crashes", async () => {
    const url = await createPlaceOnServer();
    const { acme } = openAcme({ storage: await postgresStorage(url) });
    const tills = await sellDuring(acme, 6, async (all) => {
      await waitUntilSold(all, 3);
      await crashServer(url);
      await waitUntilSold(all, 3);
    });
    expect(countRefused(tills)).toBeGreaterThan(0);
    await expectWhole(acme, listSold(tills));
  });
});
