import { createServer } from "node:net";
import { migratePostgres, postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { awaitInStep, runStep } from "../../src/base/concurrency/step.js";
import { findFreePort } from "../kit/free-port.js";
import { addTag, addUser, listSlugs } from "../sqlite/records.js";
import { unavailable } from "./faults/refused.js";
import { createRole } from "./faults/role.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";
import { createPlace } from "./place.js";

expectNothingUnhandled();

/** Returns the server's URL with some parts changed. */
function urlWith(change: Partial<Pick<URL, "username" | "password" | "pathname" | "port">>): string {
  return Object.assign(new URL(inject("postgresUrl")), change).href;
}

/** Creates a place, and a role that may have only this many connections to it. Returns the role's URL. */
async function openWithConnections(count: number): Promise<string> {
  const place = await createPlace();
  await migratePostgres(place.url);
  const role = await createRole(place, `connection limit ${count}`);
  onTestFinished(async () => {
    await role.remove();
    await place.remove();
  });
  return role.url;
}

describe("opening storage", () => {
  it.each([
    { what: "an unknown role", url: () => urlWith({ username: "nobody" }), state: /^28/ },
    { what: "an unknown database", url: () => urlWith({ pathname: "/nowhere" }), state: /^3D000$/ },
  ])("with $what fails with the server's error", async ({ url, state }) => {
    for (const open of [postgresStorage, migratePostgres]) {
      const error: unknown = await open(url()).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(pg.DatabaseError);
      expect(error).toMatchObject({ severity: "FATAL", code: expect.stringMatching(state) });
    }
  });

  it("with a wrong password fails with the server's error", async () => {
    const url = new URL(await openWithConnections(1));
    url.password = "wrong";
    await expect(postgresStorage(url.href)).rejects.toMatchObject({ code: "28P01" });
  });

  it("with an invalid URL fails with ERR_INVALID_URL", async () => {
    await expect(postgresStorage("postgres://[")).rejects.toMatchObject({ code: "ERR_INVALID_URL" });
  });

  it("without a server can be retried", async () => {
    const url = urlWith({ port: String(await findFreePort()) });
    const cause = { code: "ECONNREFUSED" };
    await expect(postgresStorage(url)).rejects.toMatchObject({ ...unavailable, cause });
    await expect(migratePostgres(url)).rejects.toMatchObject({ ...unavailable, cause });
    const pool = new pg.Pool({ connectionString: url });
    await expect(postgresStorage(pool)).rejects.toMatchObject({ ...unavailable, cause });
    expect(pool.listenerCount("error")).toBe(0);
    await pool.end();
  });

  it("on a server that hangs up or doesn't respond can be retried", async () => {
    const sockets: { destroy(): void }[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    const rude = createServer((socket) => socket.once("data", () => socket.destroy()));
    const ports = await Promise.all([silent, rude].map(startListening));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
      rude.close();
    });
    for (const port of ports) {
      const connectionString = urlWith({ port: String(port) });
      const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 300 });
      await expect(postgresStorage(pool)).rejects.toMatchObject(unavailable);
      await pool.end();
    }
  });
});

describe("a server without free connections", () => {
  it("fails with an error that can be retried, also when storage is opened", async () => {
    const url = await openWithConnections(1);
    const storage = await postgresStorage(url);
    const cause = { code: "53300" };
    await storage.transaction("acme", function* (tx) {
      yield* addTag(tx, "vip");
      yield* awaitInStep(
        expect(storage.transaction("globex", addUser)).rejects.toMatchObject({ ...unavailable, cause }),
      );
      yield* awaitInStep(
        expect(runStep(storage.reader("acme").listTags())).rejects.toMatchObject({ ...unavailable, cause }),
      );
      yield* awaitInStep(expect(postgresStorage(url)).rejects.toMatchObject({ ...unavailable, cause }));
    });
    expect(await listSlugs(storage)).toEqual(["vip"]);
    await storage.close();
  });
});

function startListening(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
    });
  });
}
