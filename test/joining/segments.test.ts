import type { Organization, SegmentFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { hosts } from "./host.js";
import { listOutbox, openShop } from "./shop.js";

const visited: SegmentFilter = { operator: "AND", conditions: [{ visits: { days: 1, min: 1 } }] };
const none: SegmentFilter = { operator: "AND", conditions: [{ lastVisit: { never: true } }] };

const countMatches = async ({ segments }: Organization, filter: SegmentFilter) =>
  (await segments.query({ filter, size: 0 })).totalElements;

describe.each(hosts)("segments over behavior beside a joined transaction on $name", ({ open }) => {
  it("include its changes only inside the transaction, before and after a rollback", async () => {
    const { db, acme, card } = await openShop(await open());
    expect(await countMatches(acme, visited)).toBe(0);
    const declined = db.transaction().execute(async (trx) => {
      const joinedOrganization = acme.joining(trx);
      await joinedOrganization.stamps.add(card);
      expect(await countMatches(joinedOrganization, visited)).toBe(1);
      expect(await countMatches(joinedOrganization, none)).toBe(0);
      expect(await countMatches(acme, visited)).toBe(0);
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    expect(await countMatches(acme, visited)).toBe(0);
    expect(await countMatches(acme, none)).toBe(1);
    // The next change gets the outbox position that the rolled-back change had.
    const { id } = await acme.users.create({ email: "grace@example.com" });
    expect(await countMatches(acme, none)).toBe(2);
    expect(await countMatches(acme, visited)).toBe(0);
    await acme.users.delete(id);
    expect(await countMatches(acme, none)).toBe(1);
  });

  it("include its changes after the commit", async () => {
    const { db, acme, card } = await openShop(await open());
    expect(await countMatches(acme, none)).toBe(1);
    await db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card);
    });
    expect(await countMatches(acme, visited)).toBe(1);
    expect(await countMatches(acme, none)).toBe(0);
  });
});

describe.each(hosts)("segments over behavior without an outbox on $name", ({ open }) => {
  it("include each change in the next query", async () => {
    const { acme, card } = await openShop(await open(), { outbox: false });
    expect(await countMatches(acme, visited)).toBe(0);
    await acme.stamps.add(card);
    expect(await countMatches(acme, visited)).toBe(1);
    const { content } = await acme.stamps.history(card);
    for (const { id } of content) await acme.stamps.reverse(card, { entryId: id });
    expect(await countMatches(acme, visited)).toBe(0);
  });
});

describe.each(hosts)("segment moves caused by a joined transaction on $name", ({ open }) => {
  it("leave no events, members or daily counts after a rollback, and are emitted by the refresh after a commit", async () => {
    const { db, storage, loyalty, acme, card } = await openShop(await open());
    const { id } = await acme.segments.create({ name: "Visited", filter: visited, emitsEvents: true });
    await acme.segments.create({ name: "Never", filter: none, emitsEvents: true });
    const readSegmentState = async () => {
      await loyalty.refreshSegments();
      const { entered, left, members } = await acme.segments.statistics("visited", { days: 1 });
      const memberCount = (await runStep(storage.reader("acme").segmentMembers(id))).count();
      return { entered, left, members, stored: memberCount, told: await listOutbox(storage) };
    };
    const before = await readSegmentState();
    expect(before).toMatchObject({ entered: 0, left: 0, members: 0, stored: 0 });
    const declined = db.transaction().execute(async (trx) => {
      const joinedOrganization = acme.joining(trx);
      await joinedOrganization.stamps.add(card);
      await joinedOrganization.users.create({ email: "grace@example.com" });
      expect((await joinedOrganization.segments.members("visited")).totalElements).toBe(1);
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    expect(await readSegmentState()).toEqual(before);
    await db.transaction().execute((trx) => acme.joining(trx).stamps.add(card));
    const after = await readSegmentState();
    expect(after).toMatchObject({ entered: 1, left: 0, members: 1, stored: 1 });
    expect(after.told.slice(before.told.length).map((line) => line.replace(/^\d+ /, ""))).toEqual([
      ...["stamp.added", "segment.left", "segment.entered"],
    ]);
  });

  it("are emitted from the call that turns events on, and leave nothing after a rollback", async () => {
    const { db, storage, loyalty, acme, card } = await openShop(await open());
    const startEmitting = async (joinedOrganization: Organization) => {
      await joinedOrganization.segments.create({ name: "Visited", filter: visited });
      const { entryId } = await joinedOrganization.stamps.add(card);
      await joinedOrganization.segments.update("visited", { emitsEvents: true });
      await joinedOrganization.stamps.reverse(card, { entryId });
    };
    const declined = db.transaction().execute(async (trx) => {
      await startEmitting(acme.joining(trx));
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    const { entryId } = await acme.stamps.add(card);
    await acme.stamps.reverse(card, { entryId });
    await db.transaction().execute((trx) => startEmitting(acme.joining(trx)));
    await loyalty.refreshSegments();
    await acme.stamps.add(card);
    await loyalty.refreshSegments();
    expect((await listOutbox(storage)).map((line) => line.replace(/^\d+ /, ""))).toEqual([
      ...["stamp.added", "stamp.reversed"],
      ...["segment.created", "stamp.added", "segment.updated"],
      ...["stamp.reversed", "segment.left"],
      ...["stamp.added", "segment.entered"],
    ]);
    const segment = await runStep(storage.reader("acme").findSegment("visited"));
    expect((await runStep(storage.reader("acme").segmentMembers(segment?.id ?? ""))).count()).toBe(1);
  });
});
