import fc from "fast-check";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { checkStorage, copyStorage } from "loyalty-kit/storage";
import { describe, expect, it, vi } from "vitest";
import {
  type BufferedCounters,
  ChunkCache,
  CommitCache,
  createEmptyState,
} from "../../adapters/storage/kysely/change/commit-cache.js";
import { Bitmap, emptyChunk } from "../../src/storage/bitmap.js";
import { storedRuns } from "../properties/runs.js";
import { open, openWithWriter, otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

const READS_COUNTERS = /^select .*"loyalty_organizations"/;
const READS_SETS = /^select .*"loyalty_segment_chunks"/;

const unchangedRow = { isChanged: false, isUnused: false, row: null };

describe("the commit cache", () => {
  it("is reloaded only if another program has committed", async () => {
    const { storage, writer } = await openWithWriter();
    const { tags } = new LoyaltyService({ storage }).organization("acme");
    await tags.create({ name: "first" });
    const other = otherProgram(writer.name);
    const all = vi.spyOn(Object.getPrototypeOf(writer.prepare("select 1")), "all");
    const read = () => {
      const sources = all.mock.contexts.map((statement) => String(Reflect.get(statement ?? {}, "source")));
      all.mockClear();
      return sources.filter((source) => READS_COUNTERS.test(source)).length;
    };
    await tags.create({ name: "second" });
    expect(read()).toBe(0);
    other.exec("update loyalty_organizations set next_tag_ordinal = 9");
    await tags.create({ name: "third" });
    expect(read()).toBe(1);
    await tags.create({ name: "fourth" });
    expect(read()).toBe(0);
    all.mockRestore();
    const ordinals = other.prepare("select ordinal from loyalty_user_tags order by ordinal").pluck().all();
    expect(ordinals).toEqual([1, 2, 9, 10]);
  });

  it("holds the chunks of changed sets until another program commits", async () => {
    const { storage, writer } = await openWithWriter();
    const { tags, users } = new LoyaltyService({ storage }).organization("acme");
    await tags.create({ name: "VIP" });
    const people = ["ada", "bob", "cyd", "dan"].map((name) => users.create({ email: `${name}@example.com` }));
    const [ada, bob, cyd, dan] = (await Promise.all(people)).map(({ id }) => id);
    await tags.assign(`${ada}`, "vip");
    const other = otherProgram(writer.name);
    const all = vi.spyOn(Object.getPrototypeOf(writer.prepare("select 1")), "all");
    const countReads = async (change: Promise<unknown>) => {
      await change;
      const sources = all.mock.contexts.map((statement) => String(Reflect.get(statement ?? {}, "source")));
      all.mockClear();
      return sources.filter((source) => READS_SETS.test(source)).length;
    };
    expect(await countReads(tags.assign(`${bob}`, "vip"))).toBe(0);
    other.exec("update loyalty_organizations set next_tag_ordinal = 9");
    expect(await countReads(tags.assign(`${cyd}`, "vip"))).toBe(1);
    await countReads(storage.transaction("acme", (tx) => tx.rebuildTagSets()));
    expect(await countReads(tags.assign(`${dan}`, "vip"))).toBe(1);
    all.mockRestore();
    const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
    expect((await tags.query({ filter })).totalElements).toBe(4);
    expect(await checkStorage(storage)).toEqual([]);
  });

  it("drops the members of a segment when they are replaced", async () => {
    const storage = await open();
    const { segments } = new LoyaltyService({ storage }).organization("acme");
    const filter = { operator: "AND", conditions: [{ joined: { withinDays: 7 } }] } as const;
    const { id } = await segments.create({ name: "New", filter, emitsEvents: true });
    const enterSegment = () =>
      storage.transaction("acme", (tx) => tx.changeSegmentMembers(id, [7], true, null));
    expect([await enterSegment(), await enterSegment()]).toEqual([[7], []]);
    await storage.transaction("acme", (tx) => tx.putSegmentMembers(id, Bitmap.empty));
    expect(await enterSegment()).toEqual([7]);
  });

  it("holds only the state of successful commits", async () => {
    const { storage, writer } = await openWithWriter();
    const { tags, users } = new LoyaltyService({ storage }).organization("acme");
    await users.create({ email: "ada@example.com" });
    writer.exec(
      "create trigger full before insert on loyalty_events begin select raise(abort, 'no room'); end",
    );
    await expect(users.create({ email: "bob@example.com" })).rejects.toThrow();
    writer.exec("drop trigger full");
    await users.create({ email: "cyd@example.com" });
    await tags.create({ name: "VIP" });
    expect(await checkStorage(storage)).toEqual([]);
    const other = otherProgram(writer.name);
    expect(other.prepare("select ordinal from loyalty_users").pluck().all()).toEqual([0, 1]);
  });

  it("never holds the state from before a copy", async () => {
    const [from, to] = [await open(createTemporaryFile()), await open(createTemporaryFile())];
    const openOrganization = (storage: typeof from, id: string) =>
      new LoyaltyService({ storage }).organization(id);
    await openOrganization(from, "acme").users.create({ email: "ada@example.com" });
    await expect(openOrganization(to, "acme").users.update("none", { name: "A" })).rejects.toThrow();
    await copyStorage(from, to);
    await openOrganization(to, "acme").users.create({ email: "bob@example.com" });
    expect(await checkStorage(to)).toEqual([]);
  });

  it("stays correct when two storages change the same organizations", async () => {
    const acts = {
      user: ({ users }: Organization, nth: number) =>
        users.create({ email: `${nth}@example.com`, externalId: `c${nth % 3}` }),
      tag: ({ tags }: Organization, nth: number) => tags.create({ name: `tag ${nth % 4}` }),
      assign: ({ tags }: Organization, nth: number) => tags.assign(`c${nth % 3}`, `tag-${nth % 4}`),
      unassign: ({ tags }: Organization, nth: number) => tags.unassign(`c${nth % 3}`, `tag-${nth % 4}`),
      untag: ({ tags }: Organization, nth: number) => tags.delete(`tag-${nth % 4}`),
      leave: ({ users }: Organization, nth: number) => users.delete(`c${nth % 3}`),
      twice: ({ users }: Organization) => users.create({ email: "same@example.com" }),
      zone: ({ settings }: Organization, nth: number) =>
        settings.update({ timeZone: nth % 2 ? "Europe/Vienna" : "Asia/Kolkata" }),
    };
    const act = fc.record({
      what: fc.constantFrom<keyof typeof acts>(
        "user",
        "tag",
        "assign",
        "unassign",
        "untag",
        "leave",
        "twice",
        "zone",
      ),
      by: fc.constantFrom(0, 1),
      shop: fc.constantFrom("acme", "globex"),
      isAtOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (actList) => {
        const file = createTemporaryFile();
        const storages = [await open(file), await open(file)];
        const services = storages.map((storage) => new LoyaltyService({ storage }));
        let waiting: Promise<unknown>[] = [];
        for (const [nth, { what, by, shop, isAtOnce }] of actList.entries()) {
          const service = services[by];
          if (service === undefined) continue;
          waiting.push(acts[what](service.organization(shop), nth));
          if (isAtOnce) continue;
          await Promise.allSettled(waiting);
          waiting = [];
        }
        await Promise.allSettled(waiting);
        for (const storage of storages) expect(await checkStorage(storage)).toEqual([]);
        for (const storage of storages) await storage.close();
      }),
      storedRuns(60),
    );
  });

  it("holds the counters of a hundred organizations", () => {
    const newest = new CommitCache();
    const state = {};
    const counters = new Map<string, BufferedCounters>();
    for (let nth = 0; nth < 101; nth += 1)
      counters.set(`shop-${nth}`, { ...unchangedRow, values: someCounters });
    newest.store(state, { ...createEmptyState(), counters });
    const { counters: takenCounters } = newest.take(state);
    expect([takenCounters.size, takenCounters.has("shop-0"), takenCounters.has("shop-100")]).toEqual([
      100,
      false,
      true,
    ]);
    expect(newest.take(state).counters.size).toBe(0);
  });
});

describe("cached chunks", () => {
  it("are the last ones written, at most 512", () => {
    const sets = new ChunkCache();
    const chunk = emptyChunk();
    const createChunks = (count: number) => new Map(Array.from({ length: count }, (_, at) => [at, chunk]));
    sets.store("acme", 1, 1, createChunks(300));
    sets.store("acme", 2, 1, createChunks(100));
    sets.store("acme", 1, 2, createChunks(1));
    sets.store("globex", 1, 7, createChunks(200));
    const getSize = (organization: string, set: number) => sets.find(organization, set)?.chunks.size ?? 0;
    expect([getSize("acme", 1), getSize("acme", 2), getSize("globex", 1)]).toEqual([300, 0, 200]);
    expect(sets.find("acme", 1)?.version).toBe(2);
    sets.store("acme", 3, 1, createChunks(513));
    expect([getSize("acme", 1), getSize("globex", 1), getSize("acme", 3)]).toEqual([0, 0, 0]);
  });
});

const someCounters = {
  ...{ nextUserOrdinal: 0, newestUserId: null, newestUserCreatedAt: null, nextTagOrdinal: 1 },
  ...{ newestEventPosition: 0, newestEventMinute: 0, currentDayCounts: null, timeZone: null },
  ...{ incompletePosition: 0, incompleteUntil: null },
  changesWithoutEvent: 0,
  setVersions: new Map(),
};
