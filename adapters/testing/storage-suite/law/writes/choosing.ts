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
export function* createOrShareRow<Row>(
  world: World,
  rows: readonly Row[],
  isStored: (row: Row) => Step<boolean>,
  create: () => Row,
): Step<Row> {
  const shared = world.pickOne(rows);
  return world.oneIn(2) && !(yield* isStored(shared)) ? shared : create();
}

/** Returns a randomly chosen row that exists in the organization, or `null` if none is found in three tries. */
export function* chooseRow<Row, Found>(
  world: World,
  rows: readonly Row[],
  find: (row: Row) => Step<Found | null>,
): Step<Found | null> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const row = yield* find(world.pickOne(rows));
    if (row !== null) return row;
  }
  return null;
}

export const pickUser = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.users, (user) => tx.findUser(user.id));
export const pickTag = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.tags, ({ slug }) => tx.findTag(slug));
export const pickTemplate = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.templates, (template) => tx.findTemplate(template.id));
