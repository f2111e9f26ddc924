import type { Step } from "../../src/concurrency/step.js";
import type { AnyFunction, Functions } from "../../src/storage/methods.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

/** Runs a call when the rows may be read: now, later, or never (then it throws). */
export type Access = <T>(call: () => T) => Step<T>;

/** Every read of the port receives these. */
export interface MemoryReadContext {
  readonly store: Store;
  readonly access: Access;
}

/** Every write of the port receives these. */
export interface MemoryWriteContext extends MemoryReadContext {
  readonly log: UndoLog;
}

/** The methods of a module of the port as functions of the rows, in place of the organization's id or before it. */
type OrganizationFunctions<Port, At extends unknown[]> = {
  readonly [Name in keyof Port]: Port[Name] extends (
    organizationId: string,
    ...args: infer Args
  ) => Step<infer T>
    ? (...all: [...At, ...Args]) => T
    : never;
};
type StoreFunctions<Port, At extends unknown[]> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Step<infer T>
    ? (...all: [...At, ...Args]) => T
    : never;
};

/** Reads of the rows of one organization. */
export function organizationReads<Port>(
  reads: OrganizationFunctions<Port, [OrganizationRows]>,
): Functions<Port, MemoryReadContext> {
  return mapFunctions(
    reads,
    (read): AnyFunction<MemoryReadContext> =>
      ({ store, access }, organizationId, ...args) =>
        access(() => read(store.rows(organizationId), ...args)),
  );
}

/** Reads of all rows. */
export function storeReads<Port>(reads: StoreFunctions<Port, [Store]>): Functions<Port, MemoryReadContext> {
  return mapFunctions(
    reads,
    (read): AnyFunction<MemoryReadContext> =>
      ({ store, access }, ...args) =>
        access(() => read(store, ...args)),
  );
}

/** Changes of rows that an organization has. */
export function organizationWrites<Port>(
  writes: OrganizationFunctions<Port, [OrganizationRows, UndoLog]>,
): Functions<Port, MemoryWriteContext> {
  return mapFunctions(
    writes,
    (write): AnyFunction<MemoryWriteContext> =>
      ({ store, access, log }, organizationId, ...args) =>
        access(() => write(store.rows(organizationId), log, ...args)),
  );
}

/** Writes of the rows that an organization can begin with. */
export function insertingWrites<Port>(
  writes: OrganizationFunctions<Port, [OrganizationRows, UndoLog]>,
): Functions<Port, MemoryWriteContext> {
  return mapFunctions(
    writes,
    (write): AnyFunction<MemoryWriteContext> =>
      ({ store, access, log }, organizationId, ...args) =>
        access(() => write(store.rowsForInsert(organizationId, log), log, ...args)),
  );
}

/** Writes of rows that have keys over all organizations. */
export function storeWrites<Port>(
  writes: StoreFunctions<Port, [Store, UndoLog]>,
): Functions<Port, MemoryWriteContext> {
  return mapFunctions(
    writes,
    (write): AnyFunction<MemoryWriteContext> =>
      ({ store, access, log }, ...args) =>
        access(() => write(store, log, ...args)),
  );
}

/** Reads or writes rows that are in memory. */
type RowFunction = (...args: unknown[]) => unknown;

function mapFunctions<Port, On>(
  functions: object,
  lift: (run: RowFunction) => AnyFunction<On>,
): Functions<Port, On> {
  const lifted = Object.entries<RowFunction>({ ...functions }).map(([name, run]) => [name, lift(run)]);
  // The same names, and each function with the parameters and the result that its type says.
  return Object.fromEntries(lifted);
}
