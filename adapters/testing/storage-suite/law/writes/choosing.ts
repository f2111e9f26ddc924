import type { Step } from "../../../../../src/base/concurrency/step.js";
import type { StorageReader, StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import type { World } from "../world.js";

/** Calls one write method, with randomly chosen arguments that refer to new rows or to rows in `world`. */
export type Write = (tx: StorageTransaction, world: World, organizationId: string) => Step<unknown>;

export type WriteName = Exclude<keyof StorageTransaction, keyof StorageReader>;

export const subjects = ["ada", "bob", "Ada", "grace"];

export const actors = [
  { actor: null, subject: null },
  { actor: '{"kind":"token","id":"akt_1"}', subject: "ada" },
  { actor: '{"kind":"app","id":"app_1"}', subject: "bob" },
];

/** Returns either a new row or one of `rows` that this organization doesn't have yet. */
export function* newOrShared<Row>(
  world: World,
  rows: readonly Row[],
  isThere: (row: Row) => Step<boolean>,
  make: () => Row,
): Step<Row> {
  const shared = world.one(rows);
  return world.rarely(2) && !(yield* isThere(shared)) ? shared : make();
}

/** Returns a randomly chosen row that exists in the organization, or `null` if none is found in three tries. */
export function* chooseRow<Row, Found>(
  world: World,
  rows: readonly Row[],
  find: (row: Row) => Step<Found | null>,
): Step<Found | null> {
  for (let tries = 0; tries < 3; tries += 1) {
    const row = yield* find(world.one(rows));
    if (row !== null) return row;
  }
  return null;
}

export const aUser = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.users, (user) => tx.findUser(user.id));
export const aTag = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.tags, ({ slug }) => tx.findTag(slug));
export const aTemplate = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.templates, (template) => tx.findTemplate(template.id));
