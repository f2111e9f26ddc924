import assert from "node:assert/strict";
import type { Step } from "../../concurrency/step.js";
import type { StorageAdapter, StorageTransaction } from "../../storage/storage-adapter.js";
import { rowsByAge } from "./age.js";
import { TestOrganization } from "./organization.js";
import type { Statements } from "./statements.js";

interface Identified {
  readonly id: string;
  readonly createdAt: number;
}

/** A kind of row, and how the port is asked for its rows. */
export interface Kind<Row extends Identified> {
  /** Such as `a tag`. */
  readonly one: string;
  readonly add: (acme: TestOrganization, fields?: Partial<Row> | Identified) => Promise<Row>;
  /** One that is not stored. */
  readonly unknown: () => Row;
  /** Fields of rows that, taken together, have every value that one may have. */
  readonly samples: readonly Partial<Row>[];
  /** Every way to find one. */
  readonly finds: readonly ((
    storage: StorageAdapter,
    acme: TestOrganization,
    row: Row,
  ) => Promise<Row | null | undefined>)[];
  readonly list: (storage: StorageAdapter, acme: TestOrganization) => Promise<readonly Row[]>;
  /** False where rows are listed in the order in which they were added. */
  readonly isListedByAge?: boolean;
  /** What a row may be changed to, one after the other. */
  readonly changes: readonly Partial<Row>[];
  /** What is given with each change in vain. */
  readonly stays: Partial<Row>;
  readonly update: Write<Row>;
  readonly remove: Write<Row>;
}

/** @returns whether the row was there. */
type Write<Row> = (tx: StorageTransaction, organizationId: string, row: Row) => Step<boolean>;

/** What holds of every kind of row. */
export function sentencesOf<Row extends Identified>(kind: Kind<Row>): Statements {
  const { one, add, finds, list, isListedByAge = true } = kind;
  const assertFound = async (storage: StorageAdapter, acme: TestOrganization, ...rows: readonly Row[]) => {
    for (const row of rows) {
      for (const find of finds) assert.deepEqual(await find(storage, acme, row), row);
    }
    assert.deepEqual(await list(storage, acme), rows);
  };
  const assertMissing = async (storage: StorageAdapter, acme: TestOrganization, row: Row) => {
    for (const find of finds) assert.equal((await find(storage, acme, row)) ?? null, null);
  };
  return {
    [`${one} comes back with all its fields, however it is found, in each organization`]: async (
      storage,
      acme,
    ) => {
      for (const organization of [acme, new TestOrganization(storage, "globex")]) {
        assert.deepEqual(await list(storage, organization), []);
        const rows = [await add(organization)];
        for (const fields of kind.samples) rows.push(await add(organization, fields));
        await assertFound(storage, organization, ...rows);
      }
    },

    [`${one} that is not there is found, changed and removed by nobody`]: async (storage, acme) => {
      const [row, unknown] = [await add(acme), kind.unknown()];
      await assertMissing(storage, acme, unknown);
      for (const write of [kind.update, kind.remove]) {
        assert.equal(await acme.write((tx) => write(tx, acme.id, unknown)), false);
      }
      await assertFound(storage, acme, row);
      await assertMissing(storage, acme, unknown);
    },

    ...(isListedByAge && {
      [`the list has ${one} before the younger ones, by createdAt, then id`]: async (storage, acme) => {
        const rows = await rowsByAge(({ id, createdAt }) => add(acme, { id, createdAt }));
        assert.deepEqual(await list(storage, acme), rows);
      },
    }),

    [`${one} is changed to what is given, but for what stays, and no other is`]: async (storage, acme) => {
      const [row, other] = [await add(acme), await add(acme)];
      for (const change of kind.changes) {
        const changed = { ...row, ...change };
        const given = { ...changed, ...kind.stays };
        assert.equal(await acme.write((tx) => kind.update(tx, acme.id, given)), true);
        await assertFound(storage, acme, changed, other);
      }
    },

    [`${one} is removed once, and no other is`]: async (storage, acme) => {
      const [row, other] = [await add(acme), await add(acme)];
      const remove = () => acme.write((tx) => kind.remove(tx, acme.id, row));
      assert.deepEqual([await remove(), await remove()], [true, false]);
      await assertMissing(storage, acme, row);
      await assertFound(storage, acme, other);
    },
  };
}
