import { StorageConflict, type StorageTransaction } from "loyalty-kit/storage";
import { describe, expect, it, vi } from "vitest";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import { open } from "./open-storage.js";
import { addTag, addUser, addUsers, assign, listSlugs } from "./records.js";
import { threads } from "./threads.js";
import { openWithConnection } from "./watched.js";

vi.mock("node:worker_threads", () => import("./threads.js"));

const large = { isLarge: true };

describe("a large transaction", () => {
  it("runs in a thread, which has ended when the call resolves", async () => {
    const storage = await open();
    const inside = await storage.transaction(
      "acme",
      function* (tx) {
        yield* addTag(tx, "vip");
        return threads.started.map(({ hasEnded }) => hasEnded);
      },
      large,
    );
    expect(inside).toEqual([false]);
    expect(threads.started.map(({ hasEnded }) => hasEnded)).toEqual([true]);
  });

  it("commits as a whole before its call resolves, and not earlier", async () => {
    const { storage, committed } = await openWithConnection();
    const result = await storage.transaction(
      "acme",
      function* (tx) {
        const vip = yield* addTag(tx, "vip");
        yield* assign(tx, (yield* addUser(tx)).ordinal, vip);
        expect(committed()).toEqual([]);
        expect(yield* awaitInStep(listSlugs(storage))).toEqual([]);
        expect(yield* awaitInStep(storage.snapshot("acme", (reader) => reader.listUsers(-1, 10)))).toEqual(
          [],
        );
        expect(yield* tx.tagsOfUser(0)).toEqual([vip]);
        return vip;
      },
      large,
    );
    expect(committed()).toEqual(["vip"]);
    expect(await runStep(storage.reader("acme").tagsOfUser(0))).toEqual([result]);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 2, wrong: [] });
  });

  it("is reflected in sets that were read before", async () => {
    const storage = await open();
    await addUsers(storage, 3);
    const vip = await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    const count = async () =>
      (await runStep(storage.reader("acme").readTagSets(["vip"]))).tags.get("vip")?.count();
    expect(await count()).toBe(0);
    await storage.transaction("acme", (tx) => assign(tx, 1, vip), large);
    expect(await count()).toBe(1);
    await storage.transaction("acme", (tx) => assign(tx, 2, vip));
    expect(await count()).toBe(2);
  });

  it("changes a thousand assignments in one call", async () => {
    const storage = await open();
    const users = await addUsers(storage, 1_000);
    const vip = await storage.transaction("acme", (tx) => addTag(tx, "vip"));
    const assignments = users.map(({ ordinal }) => ({
      id: `uta_${ordinal}`,
      userOrdinal: ordinal,
      tagOrdinal: vip.ordinal,
      createdAt: ordinal,
    }));
    const added = await storage.transaction("acme", (tx) => tx.assignTags(assignments), large);
    expect(added).toEqual(assignments);
    expect(await runStep(storage.reader("acme").usersOfTag(vip.ordinal, -1, 2_000))).toEqual(users);
    const ordinals = users.map(({ ordinal }) => ordinal).filter((ordinal) => ordinal % 3 > 0);
    expect(await storage.transaction("acme", (tx) => tx.unassignUsers(vip.ordinal, ordinals), large)).toEqual(
      ordinals,
    );
    expect(await runStep(storage.reader("acme").usersOfTag(vip.ordinal, -1, 2_000))).toHaveLength(334);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 2, wrong: [] });
  });
});

describe("a large transaction that fails", () => {
  const failing: readonly {
    readonly because: string;
    readonly work: (tx: StorageTransaction) => Step<unknown>;
    readonly reason: object;
    readonly pragmas?: readonly string[];
  }[] = [
    {
      because: "its work throws",
      work: () => awaitInStep(Promise.reject(new Error("failed"))),
      reason: { message: "failed" },
    },
    {
      because: "a statement breaks a foreign key",
      work: function* (tx) {
        return yield* assign(tx, 7, yield* addTag(tx, "vip"));
      },
      reason: { code: "SQLITE_CONSTRAINT_FOREIGNKEY" },
    },
    {
      because: "a statement failed and its error was ignored",
      work: function* (tx) {
        const tag = yield* addTag(tx, "vip");
        yield* awaitInStep(runStep(assign(tx, 7, tag)).catch(() => undefined));
      },
      reason: { code: "SQLITE_CONSTRAINT_FOREIGNKEY" },
    },
    {
      because: "a conflict isn't caught",
      work: (tx) => addTag(tx, "taken"),
      reason: { name: "StorageConflict", key: "slug" },
    },
    {
      because: "SQLite rolls back by itself",
      work: function* (tx) {
        yield* awaitInStep(runStep(addTag(tx, "fault")).catch(() => undefined));
        yield* awaitInStep(runStep(addTag(tx, "after")).catch(() => undefined));
      },
      reason: { message: "all is lost" },
    },
    {
      because: "it can't commit",
      work: (tx) => addTag(tx, "orphan"),
      reason: { code: "SQLITE_CONSTRAINT_FOREIGNKEY" },
    },
    {
      because: "the disk is full",
      work: function* (tx) {
        for (let added = 0; added < 200; added += 1) {
          yield* addUser(tx, { metadata: JSON.stringify({ filler: "x".repeat(5_000) }) });
        }
      },
      reason: { code: "storage_unavailable", cause: { code: "SQLITE_FULL" } },
      pragmas: ["max_page_count = 1"],
    },
  ];

  it.each(failing)("because $because is rolled back completely, and later ones work", async (each) => {
    const { storage, other, committed } = await openWithConnection();
    other.exec(
      `create trigger fault before insert on loyalty_user_tags when new.slug = 'fault'
         begin select raise(rollback, 'all is lost'); end;
       create table parents (id integer primary key);
       create table orphans (parent integer references parents deferrable initially deferred);
       create trigger orphan after insert on loyalty_user_tags when new.slug = 'orphan'
         begin insert into orphans values (7); end`,
    );
    await storage.transaction("acme", (tx) => addTag(tx, "taken"));
    threads.pragmas.push(...(each.pragmas ?? []));
    const writing = storage.transaction(
      "acme",
      function* (tx) {
        yield* addTag(tx, "before");
        yield* each.work(tx);
      },
      large,
    );
    await expect(writing).rejects.toMatchObject(each.reason);
    expect(committed()).toEqual(["taken"]);
    expect(await runStep(storage.reader("acme").listUsers(-1, 10))).toEqual([]);
    threads.pragmas = [];
    await storage.transaction("acme", (tx) => addTag(tx, "small"));
    await storage.transaction("acme", (tx) => addTag(tx, "large"), large);
    expect(committed()).toEqual(["large", "small", "taken"]);
    expect(threads.started.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
  });
});

describe("conflicts in a large transaction", () => {
  it("name their key, and leave the transaction usable", async () => {
    const storage = await open();
    const caught = await storage.transaction(
      "acme",
      function* (tx) {
        const ada = yield* addUser(tx, { email: "ada@example.com", externalId: "ada" });
        const vip = yield* addTag(tx, "vip");
        yield* assign(tx, ada.ordinal, vip);
        const template = {
          id: "tpl_1",
          key: null,
          name: "Coffee",
          type: "LOYALTY_CARD",
          maxStamps: null,
          reward: null,
          design: null,
          earning: null,
          points: null,
          programVersion: 1,
        } as const;
        yield* tx.insertTemplate({ ...template, createdAt: 1, updatedAt: 1 });
        const pass = {
          userId: ada.id,
          templateId: template.id,
          code: "code",
          isPreviewPass: false,
          installationStatus: null,
          card: null,
          createdAt: 1,
          updatedAt: 1,
        };
        yield* tx.insertPass({ ...pass, id: "pass_1" });
        const conflicting = [
          () => addUser(tx, { email: "ada@example.com" }),
          () => addUser(tx, { externalId: "ada" }),
          () => tx.insertTag({ ...vip, id: "utag_other" }),
          () =>
            tx.assignTag({
              id: "uta_2",
              userOrdinal: ada.ordinal,
              tagOrdinal: vip.ordinal,
              createdAt: 1,
            }),
          () => tx.insertPass({ ...pass, id: "pass_2" }),
        ];
        const caught: unknown[] = [];
        for (const write of conflicting)
          yield* awaitInStep(runStep<unknown>(write()).catch((error: unknown) => caught.push(error)));
        yield* addTag(tx, "after");
        return caught;
      },
      large,
    );
    expect(caught.every((error) => error instanceof StorageConflict)).toBe(true);
    expect(caught).toMatchObject(
      ["email", "externalId", "slug", "assignment", "code"].map((key) => ({ key })),
    );
    expect(await listSlugs(storage)).toEqual(["after", "vip"]);
    expect(await runStep(storage.reader("acme").listUsers(-1, 10))).toHaveLength(1);
    expect(await runStep(storage.reader("acme").verifyTagSets())).toEqual({ checked: 3, wrong: [] });
  });
});

describe("calls of a large transaction after its end", () => {
  it.each(["committed", "rolled back"])("are refused if it was %s", async (outcome) => {
    const storage = await open();
    const leaked: StorageTransaction[] = [];
    const writing = storage.transaction(
      "acme",
      function* (tx) {
        leaked.push(tx);
        yield* addTag(tx, "vip");
        if (outcome === "rolled back") throw new Error("failed");
      },
      large,
    );
    await Promise.allSettled([writing]);
    await storage.transaction(
      "acme",
      function* (tx) {
        for (const stray of leaked)
          yield* awaitInStep(expect(runStep(addTag(stray, "stray"))).rejects.toThrow("has ended"));
        yield* addTag(tx, "next");
      },
      large,
    );
    expect(leaked).toHaveLength(1);
    expect(await listSlugs(storage)).toEqual(outcome === "committed" ? ["next", "vip"] : ["next"]);
  });
});
