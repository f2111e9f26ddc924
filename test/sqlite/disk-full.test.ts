import type Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { checkStorage, type StorageTransaction } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import { runStep, type Step } from "../../src/base/concurrency/step.js";
import { openWithWriter } from "./open-storage.js";
import { addTag, addUser, addUsers, assign } from "./records.js";

/** Enough users to fill the disk for certain. */
const MANY = 5_000;
/** Enough users that a transaction does as much as it can before its commit. */
const LARGE = 600;
/** How much room is added each time, in pages. */
const STEP = 4;
/** The error of a change on a full disk. Callers can retry, and a log counts it. */
const noRoom = {
  code: "storage_unavailable",
  message: "The database's disk is full. Free up some space, then try again.",
  cause: { code: "SQLITE_FULL" },
};

describe("a full disk", () => {
  it("causes storage_unavailable and rolls everything back, and the storage continues once there is room", async () => {
    const { storage, writer } = await openWithWriter();
    const before = await addUsers(storage, 50);
    await storage.transaction("acme", function* (tx) {
      return yield* assign(tx, 7, yield* addTag(tx, "vip"));
    });
    fill(writer);
    await expect(addUsers(storage, MANY)).rejects.toMatchObject(noRoom);
    expect(await runStep(storage.reader("acme").listUsers(-1, 100))).toEqual(before);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 2, wrong: [] });
    writer.pragma("max_page_count = 1000000");
    const [next] = await addUsers(storage, 1);
    expect(next?.ordinal).toBe(50);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 2, wrong: [] });
  });

  it("causes storage_unavailable at any point of a large transaction, even just before its commit", async () => {
    const { storage, writer } = await openWithWriter();
    const before = await addUsers(storage, 50);
    const pages = Number(writer.pragma("page_count", { simple: true }));
    const errors: unknown[] = [];
    for (let room = 0; errors.length === room / STEP; room += STEP) {
      writer.pragma(`max_page_count = ${pages + room}`);
      await addUsers(storage, LARGE).catch((error: unknown) => errors.push(error));
      if (errors.length > room / STEP) {
        expect(await runStep(storage.reader("acme").listUsers(-1, 100))).toEqual(before);
      }
    }
    expect(errors.length).toBeGreaterThan(5);
    for (const error of errors) expect(error).toMatchObject(noRoom);
    expect(await runStep(storage.reader("acme").listUsers(-1, 1_000))).toHaveLength(50 + LARGE);
  });

  it("lets a transaction store nothing if it ignores the error", async () => {
    const { storage, writer } = await openWithWriter();
    await addUsers(storage, 50);
    fill(writer);
    await expect(storage.transaction("acme", fillDisk)).rejects.toMatchObject(noRoom);
    expect(await runStep(storage.reader("acme").listUsers(-1, 100))).toHaveLength(50);
  });

  it("doesn't prevent reads and deletions", async () => {
    const { storage, writer } = await openWithWriter();
    const users = await addUsers(storage, 50);
    fill(writer);
    await expect(addUsers(storage, MANY)).rejects.toMatchObject(noRoom);
    expect(await storage.transaction("acme", (tx) => tx.deleteUser(users[3]?.id ?? ""))).toBe(true);
    expect(await runStep(storage.reader("acme").listUsers(-1, 100))).toHaveLength(49);
  });
});

describe("a purchase, a return and spent points on a full disk", () => {
  it("change nothing until there is room, and then count once", async () => {
    const { storage, writer } = await openWithWriter();
    const acme = new LoyaltyService({ storage }).organization("acme");
    const earning = { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] };
    const club = await acme.templates.create({ name: "Club", type: "LOYALTY_CARD", points: {}, earning });
    const { id } = await acme.passes.create(club.id, { user: { email: "ada@example.com" } });
    const readAll = async () => ({
      points: await acme.points.state(id),
      history: await acme.points.history(id),
      purchases: await acme.purchases.list(),
      events: await acme.events.list(),
    });
    // Enough lines to fill several pages.
    const lines = Array.from({ length: 100 }, (_, at) => ({ name: `Article ${at}`, amount: 100 }));
    const calls = [
      () => acme.purchases.put("till", "1", { walletPassId: id, currency: "EUR", lines }),
      () => acme.purchases.addReturn("till", "1", { returnId: "1", lines: [{ id: "0" }] }),
      () => acme.points.spend(id, { points: 20, note: "x".repeat(512), idempotencyKey: "spend" }),
    ];
    const failures: number[] = [];
    for (const call of calls) {
      const before = await readAll();
      const pages = Number(writer.pragma("page_count", { simple: true }));
      for (let room = 0, isDone = false; !isDone; room += 1) {
        writer.pragma(`max_page_count = ${pages + room}`);
        isDone = await call().then(
          () => true,
          (error: unknown) => {
            expect(error).toMatchObject(noRoom);
            failures.push(room);
            return false;
          },
        );
        if (!isDone) expect(await readAll()).toEqual(before);
      }
      writer.pragma("max_page_count = 1000000");
      const after = await readAll();
      await call();
      expect(await readAll()).toEqual(after);
    }
    expect(failures.length).toBeGreaterThan(5);
    expect(await acme.points.state(id)).toMatchObject({ available: 79, earned: 99, spent: 20 });
    expect(await checkStorage(storage)).toEqual([]);
  });
});

describe("a server whose disk is full", () => {
  it("answers changes with 503 and reads as usual, until there is room again", async () => {
    const { storage, writer } = await openWithWriter();
    const loyalty = new LoyaltyService({ storage });
    const reported: unknown[] = [];
    const onError = (error: unknown) => void reported.push(error);
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onError });
    const scopes = ["user:create", "user:read"] as const;
    const { token } = await loyalty.organization("acme").apiTokens.create({ name: "till", scopes });
    const callApi = async (path: string, init: RequestInit = {}) =>
      api.fetch(new Request(`http://localhost${path}`, { ...init, headers: createHeaders(token) }));
    const signUp = (email: string) =>
      callApi("/v1/users", {
        method: "POST",
        body: JSON.stringify({ email, metadata: { filler: "x".repeat(9_000) } }),
      });

    fill(writer);
    const answers = [await signUp("ada@example.com"), await signUp("grace@example.com")];
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(await answers[0]?.json()).toMatchObject({ code: "storage_unavailable" });
    expect(reported).toEqual([expect.objectContaining(noRoom), expect.objectContaining(noRoom)]);
    expect(await (await callApi("/v1/contacts")).json()).toMatchObject({ totalElements: 0 });

    writer.pragma("max_page_count = 1000000");
    expect((await signUp("ada@example.com")).status).toBe(201);
  });
});

function createHeaders(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json" };
}

/** Limits the database to the pages that it already has. */
function fill(writer: Database.Database): void {
  writer.pragma(`max_page_count = ${writer.pragma("page_count", { simple: true })}`);
}

function* fillDisk(tx: StorageTransaction): Step<void> {
  try {
    for (let added = 0; added < MANY; added += 1) yield* addUser(tx);
  } catch (error) {
    expect(error).toMatchObject(noRoom);
  }
}
