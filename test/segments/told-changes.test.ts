import { expect, it } from "vitest";
import { SLICE_SIZE } from "../../adapters/kysely/change/member-slices.js";
import { ToldOfCommit, ToldOfTransaction } from "../../adapters/kysely/change/told-changes.js";
import type { ToldRows } from "../../adapters/kysely/change/told-rows.js";
import type { Session } from "../../adapters/kysely/session/session.js";
import { runSync } from "../../src/concurrency/run-sync.js";
import { done } from "../../src/concurrency/step.js";

/** It keeps nothing. */
const rows: ToldRows = {
  slice: () => done(null),
  putSlice: () => done(undefined),
  assertSegment: () => done(undefined),
  addToDay: () => done(undefined),
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
  runSync(told.change(session, "acme", "seg_1", ordinals, true));

it("a transaction holds 1,000 users who move, and is to be written once there is one more", () => {
  const commit = new ToldOfCommit(rows);
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
  expect([told.isFull, commit.size]).toEqual([false, 0]);
});

it("a commit holds 1,000 slices of all its transactions, and is to be written once there is one more", () => {
  const commit = new ToldOfCommit(rows);
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
  expect([told.isFull, commit.size]).toEqual([false, 0]);
});
