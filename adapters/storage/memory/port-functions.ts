import type { Step } from "../../../src/base/concurrency/step.js";
import type { AnyFunction, Functions } from "../../../src/storage/methods.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

/** Runs a call that accesses rows. Throws if the transaction or snapshot has already ended, failed, or been aborted. */
export type Access = <T>(call: () => T) => Step<T>;

export interface MemoryLookUpContext {
  readonly store: Store;
  readonly access: Access;
}

export interface MemoryReadContext extends MemoryLookUpContext {
  /** The ID of the organization whose rows the functions read. */
  readonly organizationId: string;
}

export interface MemoryWriteContext extends MemoryReadContext {
  readonly log: UndoLog;
}

/** The context of functions that write rows whose keys are unique across all organizations. */
export type StoreWriteContext = Omit<MemoryWriteContext, "access">;

/** A port module's methods as functions of the rows, which are additional first parameters. */
type RowFunctions<Port, LeadingArgs extends unknown[]> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Step<infer T>
    ? (...all: [...LeadingArgs, ...Args]) => T
    : never;
};

/** Creates storage port methods from functions that read one organization's rows. */
export function createOrganizationReads<Port>(
  reads: RowFunctions<Port, [OrganizationRows]>,
): Functions<Port, MemoryReadContext> {
  return mapFunctions(
    reads,
    (find): AnyFunction<MemoryReadContext> =>
      ({ store, access, organizationId }, ...args) =>
        access(() => find(store.rows(organizationId), ...args)),
  );
}

/** Creates an organization's storage port methods from functions that also need the rows of all organizations. */
export function createStoreReads<Port>(
  reads: RowFunctions<Port, [store: Store, organizationId: string]>,
): Functions<Port, MemoryReadContext> {
  return mapFunctions(
    reads,
    (find): AnyFunction<MemoryReadContext> =>
      ({ store, access, organizationId }, ...args) =>
        access(() => find(store, organizationId, ...args)),
  );
}

/** Creates the look-ups across all organizations. */
export function createStoreLookUps<Port>(
  lookUps: RowFunctions<Port, [Store]>,
): Functions<Port, MemoryLookUpContext> {
  return mapFunctions(
    lookUps,
    (find): AnyFunction<MemoryLookUpContext> =>
      ({ store, access }, ...args) =>
        access(() => find(store, ...args)),
  );
}

/** Creates storage port methods from functions that change an organization's existing rows. */
export function createOrganizationWrites<Port>(
  writes: RowFunctions<Port, [OrganizationRows, UndoLog]>,
): Functions<Port, MemoryWriteContext> {
  return mapFunctions(
    writes,
    (write): AnyFunction<MemoryWriteContext> =>
      ({ store, access, log, organizationId }, ...args) =>
        access(() => write(store.rows(organizationId), log, ...args)),
  );
}

/**
 * Creates storage port methods from functions that insert an organization's rows. Each method first adds the organization to the
 * store, if necessary.
 */
export function createInsertingWrites<Port>(
  writes: RowFunctions<Port, [OrganizationRows, UndoLog]>,
): Functions<Port, MemoryWriteContext> {
  return mapFunctions(
    writes,
    (write): AnyFunction<MemoryWriteContext> =>
      ({ store, access, log, organizationId }, ...args) =>
        access(() => write(store.rowsForInsert(organizationId, log), log, ...args)),
  );
}

/** Creates storage port methods from functions that write rows whose keys are unique across all organizations. */
export function createStoreWrites<Port>(
  writes: RowFunctions<Port, [StoreWriteContext]>,
): Functions<Port, MemoryWriteContext> {
  return mapFunctions(
    writes,
    (write): AnyFunction<MemoryWriteContext> =>
      (context, ...args) =>
        context.access(() => write(context, ...args)),
  );
}

/** A function that reads or writes rows in memory. */
type RowFunction = (...args: unknown[]) => unknown;

function mapFunctions<Port, Context>(
  functions: object,
  lift: (run: RowFunction) => AnyFunction<Context>,
): Functions<Port, Context> {
  const lifted = Object.entries<RowFunction>({ ...functions }).map(([name, run]) => [name, lift(run)]);
  // Every function keeps its name, and the parameters and result that its type declares.
  return Object.fromEntries(lifted);
}
