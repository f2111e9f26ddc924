import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import type { StoredSegment } from "../../../../src/storage/saved-segments.js";
import { SuiteOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

const listSlugs = (segments: readonly StoredSegment[] | undefined) => segments?.map(({ slug }) => slug);

export const savedSegments: Statements = {
  "a segment is replaced as a whole, except for its id, slug and creation time": async (storage, acme) => {
    const original = await acme.write((tx) =>
      acme.withTransaction(tx).segment({ slug: "guests", createdAt: 3 }),
    );
    const after: StoredSegment = {
      ...original,
      name: "Guests",
      description: "é😀",
      color: "#112233",
      filter: '{ "a":1}',
      emitsEvents: true,
      isRecounting: true,
      revision: 7,
      emitsSince: 8,
      updatedAt: 8,
    };
    const update = { ...after, slug: "others", createdAt: 9 };
    assert.equal(await acme.write((tx) => tx.updateSegment(update)), true);
    assert.deepEqual(await runStep(storage.reader(acme.id).findSegment("guests")), after);
    assert.equal(await storage.transaction("globex", (tx) => tx.updateSegment(update)), false);
    assert.equal(await runStep(storage.reader("globex").findSegment("guests")), null);
  },

  "segments are listed oldest first, and counted": async (storage, acme) => {
    for (const [at, createdAt] of [3, 1, 4, 1, 5].entries())
      await acme.segment({ id: `${at}`, slug: `s${at}`, createdAt });
    const globex = new SuiteOrganization(storage, "globex");
    await globex.segment({ slug: "s1" });
    assert.deepEqual(listSlugs(await runStep(storage.reader(acme.id).listSegments())), [
      "s1",
      "s3",
      "s0",
      "s2",
      "s4",
    ]);
    assert.equal(await runStep(storage.reader(acme.id).countOf("segments")), 5);
  },

  "a slug belongs to one segment, and is free again once the segment is deleted": async (storage, acme) => {
    const first = await acme.segment({ slug: "guests" });
    const createAgain = () => acme.segment({ slug: "guests" });
    await assert.rejects(createAgain(), { name: "StorageConflict", key: "slug" });
    assert.equal(await acme.write((tx) => tx.deleteSegment(first.id)), true);
    assert.equal(await acme.write((tx) => tx.deleteSegment(first.id)), false);
    assert.notEqual((await createAgain()).id, first.id);
    assert.equal((await runStep(storage.reader(acme.id).listSegments())).length, 1);
  },

  "members are stored across distant chunks, and can be changed one by one": async (storage, acme) => {
    const { id } = await acme.segment({ emitsEvents: true });
    const readMembers = async () => (await runStep(storage.reader(acme.id).segmentMembers(id))).from(0, 100);
    const change = (ordinals: readonly number[], isMember: boolean) =>
      acme.write((tx) => tx.changeSegmentMembers(id, ordinals, isMember, null));
    await acme.write((tx) => tx.putSegmentMembers(id, Bitmap.of([0, 31, 15_360, 999_999])));
    assert.deepEqual(await readMembers(), [0, 31, 15_360, 999_999]);
    assert.deepEqual(await change([400_000, 31, 30, 30], true), [30, 400_000]);
    assert.deepEqual(await change([999_999, 15_359, 0], false), [0, 999_999]);
    assert.deepEqual(await readMembers(), [30, 31, 15_360, 400_000]);
    assert.deepEqual((await runStep(storage.reader("globex").segmentMembers(id))).from(0, 100), []);
    await acme.write((tx) => tx.putSegmentMembers(id, Bitmap.of([7])));
    assert.deepEqual(await readMembers(), [7]);
    await assert.rejects(acme.write((tx) => tx.putSegmentMembers("none", Bitmap.of([1]))));
    await assert.rejects(acme.write((tx) => tx.changeSegmentMembers("none", [1], true, null)));
  },

  "concurrent changes of members and days add up, without those of failed transactions": async (
    storage,
    acme,
  ) => {
    const { id } = await acme.segment({ emitsEvents: true });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, ordinal) =>
        acme.write(function* (tx) {
          const changed = yield* tx.changeSegmentMembers(id, [0, ordinal, 20], true, 3);
          if (ordinal % 5 === 4) throw new Error("rolled back");
          return changed;
        }),
      ),
    );
    const committedOrdinals = Array.from({ length: 20 }, (_, ordinal) => ordinal).filter(
      (one) => one % 5 !== 4,
    );
    assert.deepEqual((await runStep(storage.reader(acme.id).segmentMembers(id))).from(0, 100), [
      ...committedOrdinals,
      20,
    ]);
    const [day] = await runStep(storage.reader(acme.id).segmentDays(id, 3, 3));
    assert.equal(day?.entered, committedOrdinals.length + 1);
    const changedOrdinals = outcomes.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    assert.deepEqual(
      changedOrdinals.toSorted((a, b) => a - b),
      [...committedOrdinals, 20],
    );
  },

  "a transaction reads members and days as it has changed them": async (storage, acme) => {
    const segment = await acme.segment({ emitsEvents: true });
    const { id } = segment;
    await acme.write(function* (tx) {
      const readState = function* () {
        const [day] = yield* tx.segmentDays(id, 3, 3);
        return [(yield* tx.segmentMembers(id)).from(0, 9), day?.entered, day?.left];
      };
      const change = (ordinals: readonly number[], isMember: boolean, day: number | null) =>
        tx.changeSegmentMembers(id, ordinals, isMember, day);
      assert.deepEqual(yield* change([1, 2], true, 3), [1, 2]);
      assert.deepEqual(yield* readState(), [[1, 2], 2, 0]);
      assert.deepEqual(yield* change([2, 3], true, null), [3]);
      assert.deepEqual(yield* change([1, 4], false, 3), [1]);
      assert.deepEqual(yield* readState(), [[2, 3], 2, 1]);
      yield* tx.putSegmentMembers(id, Bitmap.of([5]));
      assert.deepEqual(yield* readState(), [[5], 2, 1]);
      assert.deepEqual(yield* change([2, 5], true, 3), [2]);
      assert.deepEqual(yield* readState(), [[2, 5], 3, 1]);
      yield* change([6], true, 3);
      yield* tx.updateSegment({ ...segment, emitsEvents: false });
      assert.deepEqual(yield* readState(), [[], 4, 1]);
    });
    await acme.write(function* (tx) {
      yield* tx.updateSegment(segment);
      yield* tx.changeSegmentMembers(id, [7], true, 3);
      yield* tx.deleteSegment(id);
    });
    assert.deepEqual((await runStep(storage.reader(acme.id).segmentMembers(id))).from(0, 9), []);
    assert.deepEqual(await runStep(storage.reader(acme.id).segmentDays(id, 0, 9)), []);
  },

  "a deleted user is in no segment": async (storage, acme) => {
    const [ada, bob] = [await acme.user(), await acme.user()];
    const segments = [await acme.segment({ emitsEvents: true }), await acme.segment({ emitsEvents: true })];
    await acme.write(function* (tx) {
      for (const { id } of segments) yield* tx.putSegmentMembers(id, Bitmap.of([ada.ordinal, bob.ordinal]));
    });
    await acme.write((tx) => tx.deleteUser(ada.id));
    for (const { id } of segments)
      assert.deepEqual((await runStep(storage.reader(acme.id).segmentMembers(id))).from(0, 9), [bob.ordinal]);
  },

  "membersAmong returns which of some users are members of each segment": async (storage, acme) => {
    const segments = [await acme.segment({ emitsEvents: true }), await acme.segment({ emitsEvents: true })];
    const [one, other] = segments.map(({ id }) => id);
    await acme.write(function* (tx) {
      yield* tx.putSegmentMembers(one ?? "", Bitmap.of([0, 31, 15_360, 999_999]));
      yield* tx.putSegmentMembers(other ?? "", Bitmap.of([1, 31]));
    });
    const findMembersAmong = async (organizationId: string, ordinals: readonly number[]) => {
      const members = await runStep(storage.reader(organizationId).membersAmong(ordinals));
      return [one, other].map((id) => [...(members.get(id ?? "") ?? [])].sort((a, b) => a - b));
    };
    assert.deepEqual(await findMembersAmong(acme.id, [999_999, 31, 2, 0]), [[0, 31, 999_999], [31]]);
    assert.deepEqual(await findMembersAmong(acme.id, [15_361, 2]), [[], []]);
    assert.deepEqual(await findMembersAmong(acme.id, []), [[], []]);
    assert.deepEqual(await findMembersAmong("globex", [0, 1, 31]), [[], []]);
  },

  "a segment loses its members when it stops emitting events, and its days when it is deleted": async (
    storage,
    acme,
  ) => {
    const segment = await acme.segment({ emitsEvents: true });
    const countMembers = async () =>
      (await runStep(storage.reader(acme.id).segmentMembers(segment.id))).count();
    const listDays = () => runStep(storage.reader(acme.id).segmentDays(segment.id, 0, 9));
    await acme.write(function* (tx) {
      yield* tx.changeSegmentMembers(segment.id, [1, 2], true, 3);
    });
    assert.equal(await countMembers(), 2);
    await acme.write((tx) => tx.updateSegment({ ...segment, emitsEvents: false }));
    assert.deepEqual([await countMembers(), (await listDays()).length], [0, 1]);
    await acme.write((tx) => tx.deleteSegment(segment.id));
    assert.deepEqual(await listDays(), []);
  },

  "a day adds up who entered and left, in whatever order the days are recorded, and keeps the first member count":
    async (storage, acme) => {
      const { id: segmentId } = await acme.write((tx) =>
        acme.withTransaction(tx).segment({ emitsEvents: true }),
      );
      const move = (day: number, ordinals: readonly number[], isMember: boolean) =>
        acme.write((tx) => tx.changeSegmentMembers(segmentId, ordinals, isMember, day));
      const recordCount = (day: number, members: number) =>
        acme.write((tx) => tx.recordMemberCount(segmentId, day, members));
      const listDays = (from: number, to: number) =>
        runStep(storage.reader(acme.id).segmentDays(segmentId, from, to));
      await move(4, [1, 2, 5_000], true);
      await move(5, [1, 40_000], true);
      await move(4, [7], true);
      await move(5, [2, 3], false);
      await move(4, [5_000], false);
      await recordCount(3, 5);
      await recordCount(4, 7);
      await recordCount(4, 8);
      const all = [
        { segmentId, day: 3, members: 5, entered: 0, left: 0 },
        { segmentId, day: 4, members: 7, entered: 4, left: 1 },
        { segmentId, day: 5, members: null, entered: 1, left: 1 },
      ];
      assert.deepEqual(await listDays(0, 9), all);
      assert.deepEqual(await listDays(0, 4), all.slice(0, 2));
      assert.deepEqual(await listDays(5, 9), all.slice(2));
      await acme.write((tx) => tx.putSegmentMembers(segmentId, Bitmap.of([9])));
      assert.deepEqual(await listDays(0, 9), all);
      await move(6, [9], false);
      assert.equal((await listDays(6, 6))[0]?.left, 1);
      await assert.rejects(acme.write((tx) => tx.recordMemberCount("none", 3, 1)));
    },

  "organizations with a segment follower are listed in pages, by id": async (storage) => {
    const follower = { position: 4, watermark: 7, nextMidnight: 8 };
    for (const id of ["globex", "acme", "initech"]) {
      const organization = new SuiteOrganization(storage, id);
      await organization.write((tx) => tx.putSegmentFollower({ ...follower, position: null }));
      await organization.write((tx) => tx.putSegmentFollower(follower));
    }
    assert.deepEqual(await runStep(storage.reader("acme").findSegmentFollower()), follower);
    assert.equal(await runStep(storage.reader("none").findSegmentFollower()), null);
    assert.deepEqual(await runStep(storage.all.organizationsWithSavedSegments("", 2)), ["acme", "globex"]);
    assert.deepEqual(await runStep(storage.all.organizationsWithSavedSegments("globex", 2)), ["initech"]);
  },

  "organizationsToFollow returns organizations with a due midnight, events after the position, or silent changes":
    async (storage) => {
      const putFollower = async (id: string, position: number | null, nextMidnight: number) => {
        const organization = new SuiteOrganization(storage, id);
        await organization.write((tx) => tx.putSegmentFollower({ position, watermark: 1, nextMidnight }));
        return organization;
      };
      const [acme, globex] = [await putFollower("acme", 0, 20), await putFollower("globex", 0, 10)];
      const initech = await putFollower("initech", null, 30);
      const listToFollow = (now: number, limit = 9) => runStep(storage.all.organizationsToFollow(now, limit));
      assert.deepEqual(await listToFollow(9), []);
      assert.deepEqual(await listToFollow(10), ["globex"]);
      assert.deepEqual(await listToFollow(20), ["globex", "acme"]);
      assert.deepEqual(await listToFollow(30), ["globex", "acme", "initech"]);
      assert.deepEqual(await listToFollow(30, 2), ["globex", "acme"]);
      await acme.events([{}]);
      await initech.events([{}]);
      assert.deepEqual(await listToFollow(9), ["acme"]);
      await putFollower("acme", 1, 20);
      assert.deepEqual(await listToFollow(9), []);
      for (const each of [globex, initech])
        await each.write((tx) => tx.insertSilentChange({ id: "one", names: "[]" }));
      assert.deepEqual(await listToFollow(9), ["globex"]);
    },

  "silent changes are listed by id, and removed one by one": async (storage, acme) => {
    const changes = ["b", "a", "c"].map((id) => ({ id, names: JSON.stringify([`usr_${id}`]) }));
    await acme.write(function* (tx) {
      for (const change of changes) yield* tx.insertSilentChange(change);
    });
    const listChanges = async (limit: number) =>
      (await runStep(storage.reader(acme.id).silentChanges(limit))).map(({ id }) => id);
    assert.deepEqual(await listChanges(2), ["a", "b"]);
    assert.deepEqual((await runStep(storage.reader(acme.id).silentChanges(1)))[0], changes[1]);
    assert.deepEqual(await runStep(storage.reader("globex").silentChanges(9)), []);
    await acme.write((tx) => tx.deleteSilentChanges(["a", "none"]));
    assert.deepEqual(await listChanges(9), ["b", "c"]);
  },
};
