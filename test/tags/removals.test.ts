import fc from "fast-check";
import { LoyaltyService, type Organization, type SegmentFilter, type StorageAdapter } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { createSegmentWorker } from "loyalty-kit/webhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";
import { createEmittingSegment } from "../segments/emitting.js";

/** More users than a few slices have. */
const MANY = 350;

/** Maximum number of users from whom one transaction removes a tag. */
const SLICE = 100;

const filterByTag = (slug: string): SegmentFilter => ({ operator: "AND", conditions: [{ slug }] });

/**
 * Creates users who have a tag.
 * @returns their ids, oldest first.
 */
async function addHolders(acme: Organization, slug: string, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, someEmail);
  await acme.users.import(emails.map((email) => ({ email, tags: [slug] })));
  const holders = await collect(acme.tags.users(slug));
  const added = new Set(emails);
  return holders.filter(({ email }) => email !== null && added.has(email)).map(({ id }) => id);
}

const listUserIds = async (acme: Organization, slug: string) =>
  (await collect(acme.tags.users(slug))).map(({ id }) => id);

const countMembers = async (acme: Organization, slug: string) =>
  (await acme.segments.query({ filter: filterByTag(slug), size: 0 })).totalElements;

const listSlugs = async (acme: Organization, userId: string) =>
  (await acme.tags.ofUser(userId)).map(({ slug }) => slug);

/** Lists the tag events after a position: type, slug and user id. */
async function listTagEvents(storage: StorageAdapter, after: number): Promise<string[]> {
  const events = await runStep(storage.reader("acme").listEvents(null, after, 100_000));
  return events
    .filter(({ type }) => type.startsWith("user_tag."))
    .map(({ type, data }) => {
      const { userTag, userId = "", slug = userTag.slug } = JSON.parse(data);
      return `${type} ${slug} ${userId}`.trim();
    });
}

/** Wraps the storage so that it fails after this many transactions, as if the process had been killed. */
function dieAfterTransactions(storage: StorageAdapter, transactions: number): StorageAdapter {
  let startCount = 0;
  return replaceTransactions(storage, (organizationId, work, options) => {
    startCount += 1;
    return startCount > transactions
      ? Promise.reject(new Error("killed"))
      : storage.transaction(organizationId, work, options);
  });
}

/** Runs work in a process that is killed after its first commit. */
async function runThenKill(storage: StorageAdapter, work: (acme: Organization) => Promise<unknown>) {
  const service = new LoyaltyService({ storage: dieAfterTransactions(storage, 1), onError: () => {} });
  await work(service.organization("acme"));
  // The rest runs after the call has returned, and fails.
  await new Promise((resolve) => setTimeout(resolve, 0));
}

describe.each(everyAdapter)("a tag of many users on $name", ({ name, open }) => {
  async function openTagShop() {
    const storage = await open();
    // The clock of the other processes, too. A clock that is months ahead would treat the newest events as old.
    const shop = openAcme({ storage, clock: Date.now });
    for (const tag of ["Gone", "Kept"]) await shop.acme.tags.create({ name: tag });
    const readNewestPosition = () => runStep(storage.reader("acme").newestEventPosition());
    return { ...shop, storage, readNewestPosition };
  }

  it("is gone when its deletion returns, with its slug free, while the events follow in slices", async () => {
    const { acme, loyalty, storage, readNewestPosition } = await openTagShop();
    const ids = await addHolders(acme, "gone", MANY);
    const before = await readNewestPosition();
    await runThenKill(storage, (organization) => organization.tags.delete("gone"));
    expect(await getErrorDetail(acme.tags.get("gone"))).toEqual(notFound);
    expect((await acme.tags.list()).map(({ slug }) => slug)).toEqual(["kept"]);
    expect(await countMembers(acme, "gone")).toBe(0);
    expect(await listSlugs(acme, ids.at(-1) ?? "")).toEqual([]);
    expect(await listTagEvents(storage, before)).toHaveLength(SLICE);
    await acme.tags.create({ name: "Gone" });
    await acme.tags.assign(ids.at(-1) ?? "", "gone");
    expect(await listUserIds(acme, "gone")).toEqual(ids.slice(-1));
    await loyalty.refreshSegments();
    const events = (await listTagEvents(storage, before)).filter(
      (event) => !/(created|\.assigned) /.test(event),
    );
    expect(events).toEqual([...ids.map((id) => `user_tag.unassigned gone ${id}`), "user_tag.deleted gone"]);
    expect(await listUserIds(acme, "gone")).toEqual(ids.slice(-1));
    expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
  });

  it("is removed from a few users at a time, so that other calls run in between", async () => {
    const { acme, storage } = await openTagShop();
    await addHolders(acme, "gone", MANY);
    const order: string[] = [];
    const recordingStorage = replaceTransactions(storage, (organizationId, work, options) =>
      storage.transaction(
        organizationId,
        (tx) => {
          const recordingTx = interceptCalls(tx, (method, proceed, args) => {
            if (method === "unassignUsers") order.push(`${(args[1] as readonly number[]).length}`);
            return proceed();
          });
          return work(recordingTx);
        },
        options,
      ),
    );
    const service = new LoyaltyService({ storage: recordingStorage });
    await service.organization("acme").tags.delete("gone");
    order.push("answered");
    await service.organization("globex").users.create({ email: someEmail() });
    order.push("other");
    await expect.poll(() => runStep(storage.all.organizationsWithTagRemovals(1))).toEqual([]);
    expect(order.slice(0, 2)).toEqual(["100", "answered"]);
    expect(order.indexOf("other")).toBeLessThan(order.length - 1);
    expect(order.filter((step) => /^\d/.test(step))).toEqual(["100", "100", "100", "50"]);
  });

  it("gives its users the target immediately when it is merged, and their events follow", async () => {
    const { acme, loyalty, storage, readNewestPosition } = await openTagShop();
    const ids = await addHolders(acme, "gone", MANY);
    const both = ids.slice(-3);
    await acme.tags.assignUsers("kept", { userIds: both });
    const before = await readNewestPosition();
    await runThenKill(storage, async (organization) => {
      const merged = await organization.tags.merge("gone", { into: "kept" });
      expect(merged).toEqual({ changed: MANY - 3, unchanged: 3 });
    });
    expect(await listUserIds(acme, "kept")).toEqual(ids);
    expect(await countMembers(acme, "kept")).toBe(MANY);
    const [first, last, one] = [ids[0] ?? "", ids.at(-4) ?? "", both[0] ?? ""];
    for (const id of [first, last, one]) expect(await listSlugs(acme, id)).toEqual(["kept"]);
    const assigned = { code: "user_tag_already_assigned" };
    expect(await getErrorDetail(acme.tags.assign(last, "kept"))).toMatchObject(assigned);
    expect(await acme.tags.assignUsers("kept", { userIds: [last, first] })).toEqual({
      changed: 0,
      unchanged: 2,
    });
    expect(await acme.users.import([{ email: (await acme.users.get(last)).email, tags: ["kept"] }])).toEqual(
      expect.objectContaining({ unchanged: 1 }),
    );
    await loyalty.refreshSegments();
    const events = await listTagEvents(storage, before);
    expect(events.slice(-2)).toEqual(["user_tag.merged gone", "user_tag.deleted gone"]);
    const expected = ids.flatMap((id) => [
      `user_tag.unassigned gone ${id}`,
      ...(both.includes(id) ? [] : [`user_tag.assigned kept ${id}`]),
    ]);
    expect(events.slice(0, -2).sort()).toEqual(expected.sort());
    expect(await listUserIds(acme, "kept")).toEqual(ids);
    expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
  });

  it("when merged, doesn't restore its target to users who lose it before their slice is processed", async () => {
    const { acme, loyalty, storage, readNewestPosition } = await openTagShop();
    const ids = await addHolders(acme, "gone", MANY);
    const [one, other, both] = ids.slice(-3) as [string, string, string];
    await acme.tags.assign(both, "kept");
    const before = await readNewestPosition();
    await runThenKill(storage, (organization) => organization.tags.merge("gone", { into: "kept" }));
    await acme.tags.unassign(one, "kept");
    expect(await acme.tags.unassignUsers("kept", { userIds: [other, both] })).toEqual({
      changed: 2,
      unchanged: 0,
    });
    for (const id of [one, other, both]) expect(await listSlugs(acme, id)).toEqual([]);
    await loyalty.refreshSegments();
    expect(await listUserIds(acme, "kept")).toEqual(ids.slice(0, -3));
    const events = await listTagEvents(storage, before);
    const listEventsOf = (id: string) => events.filter((event) => event.endsWith(id));
    const unassignedLine = (id: string) => `user_tag.unassigned gone ${id}`;
    for (const id of [one, other])
      expect(listEventsOf(id)).toEqual([
        unassignedLine(id),
        `user_tag.assigned kept ${id}`,
        `user_tag.unassigned kept ${id}`,
      ]);
    expect(listEventsOf(both)).toEqual([unassignedLine(both), `user_tag.unassigned kept ${both}`]);
  });

  it("is merged to the end by another process if the first is killed at any point, with each event once", async () => {
    for (let killedAt = 1; killedAt < 6; killedAt += 1) {
      const { acme, loyalty, storage, readNewestPosition } = await openTagShop();
      const ids = await addHolders(acme, "gone", MANY);
      const before = await readNewestPosition();
      const service = new LoyaltyService({
        storage: dieAfterTransactions(storage, killedAt),
        onError: () => {},
      });
      await service.organization("acme").tags.merge("gone", { into: "kept" });
      const worker = createSegmentWorker(loyalty, { pollMs: 10 });
      onTestFinished(() => worker.close());
      await expect.poll(() => runStep(storage.all.organizationsWithTagRemovals(1))).toEqual([]);
      expect(await listTagEvents(storage, before)).toEqual([
        ...ids.flatMap((id) => [`user_tag.unassigned gone ${id}`, `user_tag.assigned kept ${id}`]),
        "user_tag.merged gone",
        "user_tag.deleted gone",
      ]);
      await worker.close();
    }
  });

  it.each(["delete", "merge"] as const)(
    "has its %s finished by two processes, with each event once",
    async (does) => {
      const { acme, loyalty, storage, readNewestPosition } = await openTagShop();
      const ids = await addHolders(acme, "gone", MANY);
      const before = await readNewestPosition();
      await runThenKill(storage, ({ tags }) =>
        does === "merge" ? tags.merge("gone", { into: "kept" }) : tags.delete("gone"),
      );
      const other = new LoyaltyService({ storage });
      await Promise.all([loyalty, other].map((service) => service.refreshSegments()));
      const events = await listTagEvents(storage, before);
      const expected = ids.flatMap((id) => [
        `user_tag.unassigned gone ${id}`,
        ...(does === "merge" ? [`user_tag.assigned kept ${id}`] : []),
      ]);
      const last = [...(does === "merge" ? ["user_tag.merged gone"] : []), "user_tag.deleted gone"];
      expect(events.slice(-last.length)).toEqual(last);
      expect(events.slice(0, -last.length).sort()).toEqual(expected.sort());
    },
  );

  it.each(["delete", "merge"] as const)(
    "changes the rows of at most 100 users per transaction of its %s, and a check in between finds nothing wrong",
    async (does) => {
      const { acme, storage } = await openTagShop();
      await addHolders(acme, "gone", MANY);
      const touchCounts: number[] = [];
      const countingStorage = replaceTransactions(storage, (organizationId, work, options) => {
        const at = touchCounts.push(0) - 1;
        const rows: Readonly<Record<string, number>> = { unassignUsers: 1, assignTags: 0 };
        return storage.transaction(
          organizationId,
          (tx) =>
            work(
              interceptCalls(tx, (method, proceed, args) => {
                const list = args[rows[method] ?? -1];
                if (Array.isArray(list)) touchCounts[at] = (touchCounts[at] ?? 0) + list.length;
                return proceed();
              }),
            ),
          options,
        );
      });
      await runThenKill(countingStorage, ({ tags }) =>
        does === "merge" ? tags.merge("gone", { into: "kept" }) : tags.delete("gone"),
      );
      const backend = serviceInternals(new LoyaltyService({ storage: countingStorage })).backends.tags;
      const expectWell = async () => {
        expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
        if (name !== "memory") expect(await checkStorage(storage)).toEqual([]);
      };
      do await expectWell();
      while (await backend.advance("acme"));
      await expectWell();
      const most = does === "merge" ? 2 * SLICE : SLICE;
      expect(touchCounts.filter((count) => count > most)).toEqual([]);
      expect(touchCounts.reduce((sum, count) => sum + count)).toBe(does === "merge" ? 2 * MANY : MANY);
    },
  );

  it("reports a failure that occurs after the call, and the next refresh finishes its removal", async () => {
    const { acme, loyalty, storage } = await openTagShop();
    await addHolders(acme, "gone", MANY);
    const errors: unknown[] = [];
    const service = new LoyaltyService({
      storage: dieAfterTransactions(storage, 1),
      onError: (error) => errors.push(error),
    });
    await service.organization("acme").tags.delete("gone");
    await expect.poll(() => errors).toEqual([new Error("killed")]);
    await loyalty.refreshSegments();
    expect(await runStep(storage.all.organizationsWithTagRemovals(1))).toEqual([]);
  });

  it("has events with the actor who deleted it, followed by segment events", async () => {
    const { acme, loyalty, storage, readNewestPosition } = await openTagShop();
    const ids = await addHolders(acme, "gone", MANY);
    await createEmittingSegment(acme, "goners", filterByTag("gone"));
    await loyalty.refreshSegments();
    const before = await readNewestPosition();
    const actor = { kind: "token", id: "akt_1", subject: "eve" } as const;
    const service = new LoyaltyService({ storage: dieAfterTransactions(storage, 1), onError: () => {} });
    await service.organization("acme", { actor }).tags.delete("gone");
    // Emits an event for a customer whose slice hasn't been processed yet.
    const last = ids.at(-1) ?? "";
    await acme.users.update(last, { name: "Ada" });
    const backend = serviceInternals(loyalty).backends.segments;
    while (await backend.advance("acme"));
    await loyalty.refreshSegments();
    const events = await runStep(storage.reader("acme").listEvents(null, before, 100_000));
    const listEventsOfType = (type: string) => events.filter((event) => event.type === type);
    for (const type of ["user_tag.unassigned", "user_tag.deleted"])
      for (const event of listEventsOfType(type))
        expect(event).toMatchObject({ actor: '{"kind":"token","id":"akt_1"}', subject: "eve" });
    const getUserId = ({ data }: { readonly data: string }) => JSON.parse(data).userId;
    expect(listEventsOfType("segment.left").map(getUserId).sort()).toEqual([...ids].sort());
    const listPositions = (type: string) =>
      new Map(listEventsOfType(type).map((event) => [getUserId(event), event.position]));
    const unassignedAt = listPositions("user_tag.unassigned");
    for (const [id, position] of listPositions("segment.left"))
      expect(unassignedAt.get(id)).toBeLessThan(position);
  });

  it("matches a model, whatever happens before its users' slices are processed", async () => {
    const tags = ["a", "b", "c"] as const;
    const step = fc.oneof(
      fc.record({
        does: fc.constantFrom("assign", "unassign", "bulk", "take", "import"),
        tag: fc.constantFrom(...tags),
        user: fc.nat(5),
      }),
      fc.record({ does: fc.constantFrom("merge", "delete"), tag: fc.constantFrom(...tags), user: fc.nat(5) }),
      fc.record({ does: fc.constant("erase"), tag: fc.constantFrom(...tags), user: fc.nat(5) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const storage = await open();
        const service = new LoyaltyService({ storage });
        const acme = service.organization("acme");
        const model = new Map<string, Set<number>>();
        for (const tag of tags) {
          await acme.tags.create({ name: tag });
          model.set(tag, new Set());
        }
        // These users are processed first.
        const crowd = Array.from({ length: SLICE }, () => ({ email: someEmail(), tags: [...tags] }));
        await acme.users.import(crowd);
        const users: string[] = [];
        for (let at = 0; at < 6; at += 1) users.push((await acme.users.create({ email: someEmail() })).id);
        const there = new Set(users.keys());
        for (const { does, tag, user } of steps) {
          const id = users[user] ?? "";
          const holders = model.get(tag);
          if (!there.has(user)) continue;
          if (does === "merge" || does === "delete") {
            if (holders === undefined) continue;
            const target = tags[(tags.indexOf(tag) + 1 + (user % 2)) % 3] ?? tag;
            const others = model.get(target);
            if (does === "merge" && others === undefined) continue;
            await runThenKill(storage, ({ tags: own }) =>
              does === "merge" ? own.merge(tag, { into: target }) : own.delete(tag),
            );
            if (does === "merge") for (const each of holders) others?.add(each);
            model.delete(tag);
          } else if (does === "erase") {
            await acme.users.delete(id);
            there.delete(user);
            for (const each of model.values()) each.delete(user);
          } else if (holders === undefined) {
            if (does === "assign") {
              await acme.tags.create({ name: tag });
              model.set(tag, new Set());
            }
          } else if (does === "assign") {
            const code = await acme.tags.assign(id, tag).then(
              () => null,
              (error) => error.code,
            );
            expect(code).toBe(holders.has(user) ? "user_tag_already_assigned" : null);
            holders.add(user);
          } else if (does === "unassign") {
            const code = await acme.tags.unassign(id, tag).then(
              () => null,
              (error) => error.code,
            );
            expect(code).toBe(holders.has(user) ? null : "resource_not_found");
            holders.delete(user);
          } else if (does === "import") {
            await acme.users.import([{ email: (await acme.users.get(id)).email, tags: [tag] }]);
            holders.add(user);
          } else {
            const isGiven = does === "bulk";
            const result = await acme.tags[isGiven ? "assignUsers" : "unassignUsers"](tag, { userIds: [id] });
            expect(result.changed).toBe(holders.has(user) === isGiven ? 0 : 1);
            if (isGiven) holders.add(user);
            else holders.delete(user);
          }
          await expectModel();
        }
        while ((await runStep(storage.all.organizationsWithTagRemovals(1))).length > 0) {
          await serviceInternals(service).backends.tags.advance("acme");
          await expectModel();
        }
        await expectEvents();
        await service.close();

        async function expectModel() {
          for (const [tag, holders] of model) {
            const ids = new Set(await listUserIds(acme, tag));
            expect([...there].filter((user) => ids.has(users[user] ?? ""))).toEqual(
              [...there].filter((user) => holders.has(user)),
            );
          }
          for (const user of there) {
            const slugs = [...model].flatMap(([tag, holders]) => (holders.has(user) ? [tag] : []));
            expect((await listSlugs(acme, users[user] ?? "")).sort()).toEqual(slugs.sort());
          }
          expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
        }

        /** Checks that for each user and tag the events alternate, and end in the state of the model. */
        async function expectEvents() {
          const events = await runStep(storage.reader("acme").listEvents(null, 0, 100_000));
          const has = new Set<string>();
          for (const { type, data } of events) {
            const { userId, userTag } = JSON.parse(data);
            const key = `${userId} ${userTag?.id}`;
            if (type === "user_tag.assigned") expect(has.size).toBeLessThan(has.add(key).size);
            if (type === "user_tag.unassigned") expect(has.delete(key)).toBe(true);
          }
          const ids = new Map((await acme.tags.list()).map(({ slug, id }) => [slug, id]));
          const expected = [...there].flatMap((user) =>
            [...model].flatMap(([tag, holders]) =>
              holders.has(user) ? [`${users[user]} ${ids.get(tag)}`] : [],
            ),
          );
          const remaining = [...has].filter((key) =>
            [...there].some((user) => key.startsWith(users[user] ?? "")),
          );
          expect(remaining.sort()).toEqual(expected.sort());
        }
      }),
      runs(6, name),
    );
  });
});
