import type { Step } from "../../../src/base/concurrency/step.js";
import type { AnyFunction, Functions } from "../../../src/storage/methods.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

/** Runs a call that accesses rows. Throws if the transaction or snapshot has already ended, failed, or been aborted. */
export type Access = <T>(call: () => T) => Step<T>;

export interface MemoryReadContext {
  readonly store: Store;
  readonly access: Access;
}

export interface MemoryWriteContext extends MemoryReadContext {
  readonly log: UndoLog;
}

/** A port module's methods as functions of the rows, which replace the organization's ID as the first parameter. */
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

/** Creates storage port methods from functions that read one organization's rows. */
export function organizationReads<Port>(
  reads: OrganizationFunctions<Port, [OrganizationRows]>,
): Functions<Port, MemoryReadContext> {
  return mapFunctions(
    reads,
    (find): AnyFunction<MemoryReadContext> =>
      ({ store, access }, organizationId, ...args) =>
        access(() => find(store.rows(organizationId), ...args)),
  );
}

/** Creates storage port methods from functions that read across all organizations. */
export function storeReads<Port>(reads: StoreFunctions<Port, [Store]>): Functions<Port, MemoryReadContext> {
  return mapFunctions(
    reads,
    (find): AnyFunction<MemoryReadContext> =>
      ({ store, access }, ...args) =>
        access(() => find(store, ...args)),
  );
}

/** Creates storage port methods from functions that change an organization's existing rows. */
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

/**
 * Creates storage port methods from functions that insert an organization's rows. Each method first adds the organization to the
 * store, if necessary.
 */
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

/** Creates storage port methods from functions that write rows whose keys are unique across all organizations. */
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

/** A function that reads or writes rows in memory. */
type RowFunction = (...args: unknown[]) => unknown;

function mapFunctions<Port, On>(
  functions: object,
  lift: (run: RowFunction) => AnyFunction<On>,
): Functions<Port, On> {
  const lifted = Object.entries<RowFunction>({ ...functions }).map(([name, run]) => [name, lift(run)]);
  // Every function keeps its name, and the parameters and result that its type declares.
  return Object.fromEntries(lifted);
}
