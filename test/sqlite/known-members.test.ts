import type { StorageAdapter, StorageTransaction } from "loyalty-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { run, type Step } from "../../src/concurrency/step.js";
import { Bitmap } from "../../src/storage/bitmap.js";
import { someSegment } from "../../src/testing/kit/segment-records.js";
import { open, openWithWriter } from "./opened.js";

const segment = someSegment({ id: "seg_1", emitsEvents: true });
const OF_SLICES = /^(select|insert|delete) .*"loyalty_segment_slices"/;

type Work<T> = (tx: StorageTransaction) => Step<T>;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A file with one segment, in which nobody is, and what statements it runs on slices. */
async function withSegment() {
  const { storage, writer } = await openWithWriter();
  await storage.transaction((tx) => tx.insertSegment("acme", segment));
  const prototype = Object.getPrototypeOf(writer.prepare("select 1"));
  const spies = [vi.spyOn(prototype, "all"), vi.spyOn(prototype, "run")];
  const ranSince = () => {
    const statements = spies.flatMap(({ mock }) =>
      mock.contexts.map((each) => String(Reflect.get(each ?? {}, "source"))),
    );
    for (const spy of spies) spy.mockClear();
    return statements.flatMap((statement) => OF_SLICES.exec(statement)?.[1] ?? []);
  };
  return { storage, file: writer.name, ranSince };
}

const change =
  (ordinals: readonly number[], isMember: boolean, day: number | null = 3): Work<number[]> =>
  (tx) =>
    tx.changeSegmentMembers("acme", segment.id, ordinals, isMember, day);

const stateOf = async (storage: StorageAdapter) => {
  const members = (await run(storage.segmentMembers("acme", segment.id))).from(0, 100);
  const days = await run(storage.segmentDays("acme", segment.id, 0, 9));
  return { members, days: days.map(({ day, entered, left }) => [day, entered, left]) };
};

describe("members of segments as the commit before has left them", () => {
  it("are read once, and written by the commits that change them alone", async () => {
    const { storage, ranSince } = await withSegment();
    await storage.transaction(change([1], true));
    expect(ranSince()).toEqual(["select", "insert"]);
    await storage.transaction(change([1], true));
    expect(ranSince()).toEqual([]);
    await storage.transaction(change([2], true));
    expect(ranSince()).toEqual(["insert"]);
    await storage.transaction((tx) => tx.putCooldown("acme", { name: "a", until: 9 }));
    expect(ranSince()).toEqual([]);
    for (const ordinal of [3, 4]) await storage.transaction(change([ordinal], true, 4));
    expect((await stateOf(storage)).days).toEqual([
      [3, 2, 0],
      [4, 2, 0],
    ]);
  });

  it("are read anew when another program has committed", async () => {
    const { storage, file } = await withSegment();
    const other = await open(file);
    for (const ordinal of [1, 2]) {
      expect(await storage.transaction(change([ordinal], true))).toEqual([ordinal]);
      expect(await other.transaction(change([ordinal], false))).toEqual([ordinal]);
      expect(await storage.transaction(change([ordinal], true))).toEqual([ordinal]);
    }
    const expected = { members: [1, 2], days: [[3, 4, 2]] };
    for (const each of [storage, other]) expect(await stateOf(each)).toEqual(expected);
  });

  it.each<[string, Work<unknown>]>([
    ["the members are put", (tx) => tx.putSegmentMembers("acme", segment.id, Bitmap.of([9]))],
    [
      "the segment emits no more events",
      (tx) => tx.updateSegment("acme", { ...segment, emitsEvents: false }),
    ],
    ["the members are read", (tx) => tx.segmentMembers("acme", segment.id)],
    [
      "somebody else moves, and it fails",
      function* (tx) {
        yield* change([7], true)(tx);
        throw new Error("failed");
      },
    ],
  ])("are right when %s in between", async (_, between) => {
    const { storage, file } = await withSegment();
    await storage.transaction(change([1, 5_000], true));
    await storage.transaction(between).catch(() => undefined);
    const { members } = await stateOf(storage);
    await storage.transaction(change([2], true));
    await storage.transaction(change([5_000], true, 4));
    const after = await stateOf(await open(file));
    expect(after.members).toEqual([...new Set([...members, 2, 5_000])].sort((a, b) => a - b));
    expect(after.days).toEqual(
      members.includes(5_000)
        ? [[3, 3, 0]]
        : [
            [3, 3, 0],
            [4, 1, 0],
          ],
    );
  });
});
