import { expect, it } from "vitest";
import { KeptSlice } from "../../adapters/kysely/change/kept-slice.js";
import { emptySlice, SLICE_SIZE } from "../../adapters/kysely/change/member-slices.js";
import {
  type KnownTold,
  ToldOfCommit,
  ToldOfTransaction,
} from "../../adapters/kysely/change/told-changes.js";
import type { ToldRows } from "../../adapters/kysely/change/told-rows.js";
import type { Session } from "../../adapters/kysely/session/session.js";
import { runSync } from "../../src/concurrency/run-sync.js";
import { done } from "../../src/concurrency/step.js";

/** It keeps nothing. */
const rows: ToldRows = {
  slice: () => done(new KeptSlice(emptySlice(), null)),
  putSlice: () => done(undefined),
  assertSegment: () => done(undefined),
  addToDay: () => done(undefined),
  noteMembers: () => done(undefined),
};

const session: Session = {
  ...{ mark: null, fence: null, commit: null },
  all: () => done([]),
  change: () => done(0),
  changeEach: () => done([]),
  changeBehind: () => done(undefined),
  assertSound: () => {},
};

const enter = (told: ToldOfTransaction, ordinals: readonly number[]) =>
  runSync(told.change(session, "acme", "seg_1", ordinals, true, 3));

it("a transaction holds 1,000 users who move, and is to be written and forgotten once there is one more", () => {
  const commit = new ToldOfCommit(rows, null);
  const told = new ToldOfTransaction(commit);
  enter(
    told,
    Array.from({ length: 1_000 }, (_, ordinal) => ordinal),
  );
  expect(told.isFull).toBe(false);
  enter(told, [1_000]);
  expect(told.isFull).toBe(true);
  told.handOver();
  runSync(commit.write(session));
  commit.forget();
  expect([told.isFull, commit.size]).toEqual([false, 0]);
});

it("a commit holds 1,000 slices of all its transactions, and is to be written and forgotten once there is one more", () => {
  const commit = new ToldOfCommit(rows, null);
  for (let slice = 0; slice < 1_000; slice += 1) {
    const told = new ToldOfTransaction(commit);
    enter(told, [slice * SLICE_SIZE]);
    expect(told.isFull).toBe(false);
    told.handOver();
  }
  const told = new ToldOfTransaction(commit);
  enter(told, [1_000 * SLICE_SIZE]);
  expect(told.isFull).toBe(true);
  told.handOver();
  runSync(commit.write(session));
  commit.forget();
  expect([told.isFull, commit.size]).toEqual([false, 0]);
});

it("a commit leaves 10,000 slices to the next one, and none once there is one more", () => {
  let known: KnownTold | null = null;
  const enterSome = (slices: number, from: number) => {
    const commit = new ToldOfCommit(rows, known);
    const told = new ToldOfTransaction(commit);
    enter(
      told,
      Array.from({ length: slices }, (_, slice) => (from + slice) * SLICE_SIZE),
    );
    told.handOver();
    known = runSync(commit.writeLast(session));
    return known?.slices ?? null;
  };
  for (let from = 0; from < 10_000; from += 1_000) expect(enterSome(1_000, from)).toBe(from + 1_000);
  expect(enterSome(1_000, 0)).toBe(10_000);
  expect(enterSome(1, 10_000)).toBeNull();
  expect(enterSome(1, 10_000)).toBe(1);
});
