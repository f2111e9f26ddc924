import type { Step } from "../../src/concurrency/step.js";
import type { AnyFunction, Functions } from "../../src/storage/methods.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

/** Answers from the rows when they may be looked at: at once, later, or never (then it throws). */
export type Access = <T>(call: () => T) => Step<T>;

/** Every read of the port receives these. */
export interface Reading {
  readonly store: Store;
  readonly access: Access;
}

/** Every write of the port receives these. */
export interface Writing extends Reading {
  readonly log: UndoLog;
}

/** The methods of a part of the port as functions of what is at hand, in place of the organization's id, or before it. */
type Of<Port, At extends unknown[]> = {
  readonly [Name in keyof Port]: Port[Name] extends (
    organizationId: string,
    ...args: infer Args
  ) => Step<infer T>
    ? (...all: [...At, ...Args]) => T
    : never;
};
type OfAll<Port, At extends unknown[]> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Step<infer T>
    ? (...all: [...At, ...Args]) => T
    : never;
};

/** Reads of the rows of one organization. */
export function ofRows<Port>(reads: Of<Port, [OrganizationRows]>): Functions<Port, Reading> {
  return each(
    reads,
    (read): AnyFunction<Reading> =>
      ({ store, access }, organizationId, ...args) =>
        access(() => read(store.rows(organizationId), ...args)),
  );
}

/** Reads of all rows. */
export function ofStore<Port>(reads: OfAll<Port, [Store]>): Functions<Port, Reading> {
  return each(
    reads,
    (read): AnyFunction<Reading> =>
      ({ store, access }, ...args) =>
        access(() => read(store, ...args)),
  );
}

/** Changes of rows that an organization has. */
export function changing<Port>(writes: Of<Port, [OrganizationRows, UndoLog]>): Functions<Port, Writing> {
  return each(
    writes,
    (write): AnyFunction<Writing> =>
      ({ store, access, log }, organizationId, ...args) =>
        access(() => write(store.rows(organizationId), log, ...args)),
  );
}

/** Writes of the rows that an organization can begin with. */
export function filling<Port>(writes: Of<Port, [OrganizationRows, UndoLog]>): Functions<Port, Writing> {
  return each(
    writes,
    (write): AnyFunction<Writing> =>
      ({ store, access, log }, organizationId, ...args) =>
        access(() => write(store.rowsToFill(organizationId, log), log, ...args)),
  );
}

/** Writes of rows that have keys over all organizations. */
export function changingStore<Port>(writes: OfAll<Port, [Store, UndoLog]>): Functions<Port, Writing> {
  return each(
    writes,
    (write): AnyFunction<Writing> =>
      ({ store, access, log }, ...args) =>
        access(() => write(store, log, ...args)),
  );
}

/** Reads or writes rows that are in memory. */
type RowFunction = (...args: unknown[]) => unknown;

function each<Port, On>(functions: object, lift: (run: RowFunction) => AnyFunction<On>): Functions<Port, On> {
  const lifted = Object.entries<RowFunction>({ ...functions }).map(([name, run]) => [name, lift(run)]);
  // The same names, and each function with the parameters and the result that its type says.
  return Object.fromEntries(lifted);
}
