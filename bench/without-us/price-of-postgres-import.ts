import assert from "node:assert/strict";
import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { startDurableServer } from "../../test/postgres/server.js";
import type { Bench } from "../bench.js";
import { listTagSlugs, ORGANIZATION } from "../customers.js";
import { generateNewCustomers, splitIntoBatches } from "../new-customers.js";
import { atLeast, formatRate, formatWhole, print } from "../report.js";
import { PostgresCopy } from "./postgres-copy.js";

/** The library and the peer take turns after this many rows; `COPY` uses one transaction for them. */
const TURN = 5_000;
/** Enough for a stable rate. */
const MOST_USERS = 50_000;

/** `users.import` on Postgres, against `COPY` into tables of one's own. */
export const runPriceOfPostgresImport: Bench = async ({ users: all }) => {
  const users = Math.min(all, MOST_USERS);
  const server = await startDurableServer();
  const loyalty = new LoyaltyService({ storage: await postgresStorage(server.url) });
  const client = new pg.Client(server.url);
  try {
    await client.connect();
    const organization = loyalty.organization(ORGANIZATION);
    for (const name of listTagSlugs(users)) await organization.tags.create({ name });
    const own = await PostgresCopy.start(client, listTagSlugs(users));
    const times = { ours: 0, byHand: 0 };
    for (const rows of splitIntoBatches(generateNewCustomers(users), TURN)) {
      const start = performance.now();
      const { created } = await organization.users.import(rows);
      const between = performance.now();
      const copiedCount = await own.import(rows);
      times.ours += between - start;
      times.byHand += performance.now() - between;
      assert.equal(copiedCount, created);
    }
    const ratio = times.byHand / times.ours;
    print(
      `The price of an import on Postgres, ${formatWhole(users)} users with 1.7 tags each (ratio: share of the rate without the library)`,
      [
        {
          label: "rows",
          ours: formatRate(users, times.ours),
          peer: formatRate(users, times.byHand),
          peerName: `COPY, ${formatWhole(TURN)} a transaction`,
          ratio,
          goals: [atLeast(ratio, 0.3)],
        },
      ],
    );
  } finally {
    await client.end();
    await loyalty.close();
    await server.stop();
  }
};
