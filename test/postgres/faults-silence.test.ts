import { postgresStorage } from "loyalty-kit/postgres";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { addTag, listSlugs } from "../sqlite/records.js";
import { unavailable } from "./faults/refused.js";
import { startRelay } from "./faults/relay.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";
import { createPlace, executeOnce } from "./place.js";
import { type OwnServer, startOwnServer } from "./server.js";

let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});
afterAll(() => server?.stop());

expectNothingUnhandled();

const patience = { poolSize: 3, connectTimeoutMs: 1_000, statementTimeoutMs: 1_000, lockTimeoutMs: 300 };

describe("a server that stops responding", () => {
  it("because its packets are dropped is given up soon, and is used again as soon as it responds", async () => {
    const { url } = await createPlace(server.url);
    const between = await startRelay(url);
    onTestFinished(() => between.close());
    const storage = await postgresStorage(between.url, patience);
    onTestFinished(() => storage.close());
    await storage.transaction("acme", (tx) => addTag(tx, "before"));
    await Promise.all([listSlugs(storage), listSlugs(storage), listSlugs(storage)]);

    between.drop();
    const startedAt = performance.now();
    const stuck = await Promise.allSettled([
      storage.transaction("acme", (tx) => addTag(tx, "lost")),
      storage.snapshot("acme", (reader) => reader.listTags()),
      runStep(storage.reader("acme").listTags()),
      runStep(storage.reader("acme").listTags()),
    ]);
    for (const outcome of stuck) expect(outcome).toMatchObject({ status: "rejected", reason: unavailable });
    expect(performance.now() - startedAt).toBeLessThan(30_000);

    between.passAgain();
    expect(await listSlugs(storage)).toEqual(["before"]);
    await storage.transaction("acme", (tx) => addTag(tx, "next"));
    expect(await listSlugs(storage)).toEqual(["before", "next"]);
  });
});

describe("a server that is read-only for a while", () => {
  it("is reported as read-only, and is written to again as soon as possible", async () => {
    const { url } = await createPlace(server.url);
    const storage = await postgresStorage(url, patience);
    onTestFinished(() => storage.close());
    const checkEveryConnection = () =>
      Promise.all([1, 2, 3].map(() => storage.snapshot("acme", (reader) => reader.listTags())));
    const readOnly = (value: string) =>
      onServer(`alter database postgres set default_transaction_read_only = ${value}`);
    onTestFinished(() => readOnly("off"));
    await readOnly("on");
    // Only connections made from now on have the setting.
    await onServer("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
    await expect
      .poll(() =>
        checkEveryConnection().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const cause = { code: "25006", message: expect.stringContaining("is read-only") };
    await expect(storage.transaction("acme", (tx) => addTag(tx, "early"))).rejects.toMatchObject({
      ...unavailable,
      cause,
    });
    await checkEveryConnection();
    await readOnly("off");
    // One change may be refused, but all later ones succeed.
    await storage.transaction("acme", (tx) => addTag(tx, "refused")).catch(() => undefined);
    for (const slug of ["a", "b", "c", "d"]) await storage.transaction("acme", (tx) => addTag(tx, slug));
    expect(await listSlugs(storage)).toEqual(["a", "b", "c", "d"]);
  });

  async function onServer(statement: string): Promise<void> {
    await executeOnce(`${server.url}?options=-c%20default_transaction_read_only%3Doff`, statement);
  }
});

describe("a database that can't store every character", () => {
  it("is refused when it is opened, with an error that says what to do", async () => {
    await executeOnce(
      server.url,
      "create database latin1 encoding 'LATIN1' locale_provider 'libc' locale 'C' template template0",
    );
    const url = Object.assign(new URL(server.url), { pathname: "/latin1" }).href;
    await expect(postgresStorage(url)).rejects.toThrow(/is LATIN1.*create it with UTF8/);
  });
});

describe("a process that was blocked", () => {
  it("accepts the replies that arrived in the meantime, and uses its idle connections", async () => {
    const { url } = await createPlace(server.url);
    const storage = await postgresStorage(url, patience);
    onTestFinished(() => storage.close());
    await storage.transaction("acme", (tx) => addTag(tx, "before"));
    const waiting = [
      ...Array.from({ length: 8 }, () => listSlugs(storage)),
      storage.snapshot("acme", (reader) => reader.listTags()),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    // Longer than the timeouts of a statement, the driver's grace period and a connection.
    for (const end = performance.now() + 4_000; performance.now() < end; );
    for (const answer of waiting) expect(await answer).toHaveLength(1);
    await storage.transaction("acme", (tx) => addTag(tx, "next"));
    expect(await listSlugs(storage)).toEqual(["before", "next"]);
  });
});
