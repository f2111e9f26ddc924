import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWallets, type GoogleOptions } from "loyalty-kit/wallets";
import pg from "pg";

/** Parameters of the process. */
export interface Setup {
  /** Location of its storage: a file, or the URL of a Postgres server. */
  readonly place: string;
  readonly google: GoogleOptions;
  readonly publicUrl: string;
  readonly aheadMs: number;
}

/* A process that delivers changes to Google until it is killed. */
const setup: Setup = JSON.parse(process.argv[2] ?? "{}");
const storage: StorageAdapter = setup.place.startsWith("postgres")
  ? await postgresStorage(new pg.Pool({ connectionString: setup.place, max: 4 }))
  : await sqliteStorage(setup.place);
const clock = () => Date.now() + setup.aheadMs;
const { google, publicUrl } = setup;
createWallets(new LoyaltyService({ storage, clock }), { publicUrl, google, debounceMs: 20, pollMs: 20 });
process.stdout.write("ready\n");
