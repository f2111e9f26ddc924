import { LoyaltyService } from "loyalty-kit";
import { type PostgresServers, postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { loadDriver } from "../../adapters/storage/postgres/driver.js";
import { validateOptions } from "../../adapters/storage/postgres/options.js";
import { openPool } from "../../adapters/storage/postgres/pool.js";
import { findFreePort } from "../kit/free-port.js";
import { type FollowedServer, startFollowedServer } from "./server.js";

let servers: FollowedServer;
let standby: pg.Pool;

/** The number of queries on the standby's pool. */
let reads = 0;

beforeAll(async () => {
  await loadDriver();
  servers = await startFollowedServer();
  standby = new pg.Pool({ connectionString: servers.standby.url });
  standby.on("error", () => undefined);
  standby.on("acquire", () => {
    reads += 1;
  });
});

afterAll(async () => {
  await standby?.end();
  await servers?.stop();
});

beforeEach(() => {
  reads = 0;
});

async function openReplicated(options?: Partial<PostgresServers>) {
  const storage = await postgresStorage({ primary: servers.url, replicas: [standby], ...options });
  const loyalty = new LoyaltyService({ storage });
  onTestFinished(() => loyalty.close());
  return { storage, loyalty };
}

/** The number of organizations so far. Each test has its own. */
let createdCount = 0;
function createId(): string {
  createdCount += 1;
  return `shop ${createdCount}`;
}

const queryStandby = (statement: string) => standby.query(statement);

/**
 * Waits until the standby has everything that the primary has, and then pauses its replay until the test
 * ends.
 */
async function pauseReplay(): Promise<void> {
  const primary = new pg.Client({ connectionString: servers.url });
  await primary.connect();
  // The position of commits, which may be ahead of the written log.
  const { rows } = await primary.query("select pg_current_wal_insert_lsn()::text as position");
  await primary.end();
  const caughtUp = `select pg_last_wal_replay_lsn() >= '${rows[0].position}'::pg_lsn as told`;
  await expect.poll(async () => (await queryStandby(caughtUp)).rows[0].told).toBe(true);
  await queryStandby("select pg_wal_replay_pause()");
  onTestFinished(async () => void (await queryStandby("select pg_wal_replay_resume()")));
  const state = "select pg_get_wal_replay_pause_state() as told";
  await expect.poll(async () => (await queryStandby(state)).rows[0].told).toBe("paused");
}

async function countTotal(loyalty: LoyaltyService, id: string) {
  return (await loyalty.organization(id).contacts.list({ size: 1, sort: "name,asc" })).totalElements;
}

describe("storage on a primary and a replica", () => {
  it("sends slow reads to the replica, and sees everything it has committed", async () => {
    const { loyalty } = await openReplicated();
    const id = createId();
    for (let count = 1; count <= 20; count += 1) {
      await loyalty.organization(id).users.create({ email: `${count}@example.com` });
      expect(await countTotal(loyalty, id)).toBe(count);
    }
    expect(reads).toBeGreaterThan(0);
  });

  it("reads from the primary after a moment if the replica lacks the data", async () => {
    const { loyalty } = await openReplicated();
    const [id, other] = [createId(), createId()];
    await loyalty.organization(other).users.create({ email: "ada@example.com" });
    await expect.poll(() => countTotal(loyalty, other)).toBe(1);
    await pauseReplay();
    await loyalty.organization(id).users.create({ email: "ada@example.com" });
    expect(await countTotal(loyalty, id)).toBe(1);
    // Reads of other organizations aren't delayed: the replica has everything that this process committed for
    // them.
    reads = 0;
    expect(await countTotal(loyalty, other)).toBe(1);
    expect(reads).toBeGreaterThan(0);
  });

  it("sees what another process has committed once it has that process's position", async () => {
    const [here, there] = [await openReplicated(), await openReplicated({ replicas: [] })];
    const id = createId();
    expect(await countTotal(here.loyalty, id)).toBe(0);
    await pauseReplay();
    await there.loyalty.organization(id).users.create({ email: "ada@example.com" });
    expect(await countTotal(here.loyalty, id)).toBe(0);
    here.storage.advanceTo(await there.storage.position());
    expect(await countTotal(here.loyalty, id)).toBe(1);
    expect(() => here.storage.advanceTo("new")).toThrow(TypeError);
  });

  it("sees what a managed transaction has committed", async () => {
    const { loyalty } = await openReplicated();
    const id = createId();
    await loyalty.transaction((_tx, organization) =>
      organization(id).users.create({ email: "ada@example.com" }),
    );
    expect(await countTotal(loyalty, id)).toBe(1);
  });

  it("verifies API tokens on the primary", async () => {
    const [here, there] = [await openReplicated(), await openReplicated({ replicas: [] })];
    await pauseReplay();
    const { token } = await there.loyalty
      .organization(createId())
      .apiTokens.create({ name: "till", scopes: ["user:read"] });
    expect(await here.loyalty.verifyApiToken(token)).not.toBeNull();
  });

  it("works without a replica that isn't reachable", async () => {
    const nowhere = `postgres://postgres:postgres@127.0.0.1:${await findFreePort()}/postgres`;
    const { loyalty } = await openReplicated({ replicas: [nowhere] });
    const id = createId();
    await loyalty.organization(id).users.create({ email: "ada@example.com" });
    expect(await countTotal(loyalty, id)).toBe(1);
  });
});

describe("a connection URL with several servers", () => {
  const urlOfBoth = (attributes: string) => {
    const hosts = [servers.standby.url, servers.url].map((url) => new URL(url).host).join(",");
    return `postgres://postgres:postgres@${hosts}/postgres?${attributes}`;
  };

  const isStandby = async (url: string) => {
    const pool = openPool(url, validateOptions());
    onTestFinished(() => pool.end());
    const result = await pool.query({ text: "select pg_is_in_recovery() as standby" });
    return (result as { rows: { standby: boolean }[] }).rows[0]?.standby;
  };

  it("connects to the first server that matches target_session_attrs", async () => {
    for (const attributes of ["target_session_attrs=any", "application_name=x"]) {
      expect(await isStandby(urlOfBoth(attributes))).toBe(true);
    }
    expect(await isStandby(urlOfBoth("application_name=x&target_session_attrs=read-write"))).toBe(false);
    expect(await isStandby(urlOfBoth("target_session_attrs=primary&application_name=x"))).toBe(false);
    expect(await isStandby(urlOfBoth("target_session_attrs=standby"))).toBe(true);
    expect(await isStandby(urlOfBoth("target_session_attrs=read-only"))).toBe(true);
    const only = `${servers.url}?target_session_attrs=standby`;
    await expect(isStandby(only)).rejects.toThrow("doesn't match target_session_attrs");
    expect(() => openPool(urlOfBoth("target_session_attrs=best"), validateOptions())).toThrow(TypeError);
  });

  it("continues after the primary is gone and the standby is promoted, without losing successful changes", async () => {
    const { loyalty } = await openReplicated({ primary: urlOfBoth("target_session_attrs=read-write") });
    const [id, email] = [createId(), "ada@example.com"];
    const { id: userId } = await loyalty.organization(id).users.create({ email });
    await servers.halt();
    const lostWrite = loyalty.organization(id).users.create({ email: "lost@example.com" });
    await expect(lostWrite).rejects.toMatchObject({ detail: { code: "storage_unavailable" } });
    await queryStandby("select pg_promote()");
    let tries = 0;
    await expect
      .poll(
        async () => {
          tries += 1;
          const next = loyalty.organization(id).users.create({ email: `${tries}@example.com` });
          return next.then(() => "written", String);
        },
        { timeout: 30_000, interval: 200 },
      )
      .toBe("written");
    expect((await loyalty.organization(id).users.get(userId)).email).toBe(email);
    // The previous replica is read again: it has all the data, and accepts writes.
    await expect.poll(() => countTotal(loyalty, id)).toBe(2);
  });
});
