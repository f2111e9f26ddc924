import { awaitInStep, type Step } from "../../../src/base/concurrency/step.js";
import {
  ALL_ORGANIZATIONS,
  type CooldownReads,
  type CooldownWrites,
} from "../../../src/storage/cooldowns.js";
import {
  type AnyFunction,
  bindFunctions,
  createMethodsClass,
  createReaderClass,
  type Functions,
} from "../../../src/storage/methods.js";
import type {
  StorageLookUps,
  StorageReader,
  StorageTransaction,
} from "../../../src/storage/storage-adapter.js";
import type { WriteContext } from "./change/commit-buffer.js";
import type { ReadingColumns } from "./columns/behavior.js";
import { queries } from "./queries.js";
import { getRules } from "./session/call-rules.js";
import type { LookUpContext, ReadSession } from "./session/session.js";
import type { SqlDialect } from "./sql/dialect.js";

/** Context for look-ups outside snapshots and transactions. */
export interface OutsideLookUpContext extends LookUpContext {
  snapshot<T>(work: (on: LookUpContext) => Step<T>, line: string | undefined): Promise<T>;
  sessionOf(line: string): ReadSession;
}

/** Context for an organization's reads outside snapshots and transactions. */
interface OutsideReadContext extends ReadingColumns, OutsideLookUpContext {
  snapshot<T>(work: (on: ReadingColumns) => Step<T>): Promise<T>;
}

type PortClasses = ReturnType<typeof createPortClasses>;

const classesByDialect = new WeakMap<SqlDialect, PortClasses>();

/**
 * Returns the classes of the storage port for a dialect: the look-ups and the reader outside snapshots, the reader in a snapshot, and
 * the transaction. Beside them are the queries that a transaction's buffer runs. All are created once per process, because opening a
 * file would otherwise take three times as long.
 */
export function getPortClasses(dialect: SqlDialect): PortClasses {
  const cached = classesByDialect.get(dialect);
  if (cached !== undefined) return cached;
  const classes = createPortClasses(dialect);
  classesByDialect.set(dialect, classes);
  return classes;
}

function createPortClasses(dialect: SqlDialect) {
  const { organizations, chunks, lookUps, reads, writes } = queries(dialect);
  const { locksOrganizations } = dialect;
  const outsideLookUps = runLookUpsOutsideSnapshots(lookUps);
  const inTransaction = bindToTransaction({ ...reads, ...writes }, locksOrganizations);
  return {
    organizations,
    chunks,
    OutsideLookUps: createMethodsClass<StorageLookUps, OutsideLookUpContext>(outsideLookUps),
    OutsideReader: createReaderClass<StorageReader, OutsideReadContext>(
      runOutsideSnapshots(reads),
      outsideLookUps,
    ),
    Reader: createReaderClass<StorageReader, ReadingColumns>(reads, lookUps),
    Writer: createReaderClass<StorageTransaction, SetWriteContext>(inTransaction, {
      ...bindLookUpsToTransaction(lookUps, locksOrganizations),
      ...bindFunctions<CooldownReads & CooldownWrites, SetWriteContext>(ALL_ORGANIZATIONS, {
        findCooldown: inTransaction.findCooldown,
        putCooldown: inTransaction.putCooldown,
        removeExpiredCooldowns: inTransaction.removeExpiredCooldowns,
        trimCooldowns: inTransaction.trimCooldowns,
      }),
    }),
  };
}

/** Returns the reads in the form that runs outside snapshots. A read whose statements must see one state takes a snapshot. */
function runOutsideSnapshots(
  reads: Functions<PortReads, ReadingColumns>,
): Functions<PortReads, OutsideReadContext> {
  const all = Object.entries<AnyFunction<ReadingColumns>>(reads).map(([name, run]) => [
    name,
    getRules(run).isOneState ? runInSnapshot(run) : run,
  ]);
  // Every function keeps its name and type.
  return Object.fromEntries(all);
}

function runInSnapshot(run: AnyFunction<ReadingColumns>): AnyFunction<OutsideReadContext> {
  return function* ({ snapshot }, ...args) {
    return yield* awaitInStep(snapshot((on) => run(on, ...args)));
  };
}

/**
 * Does the same as {@link runOutsideSnapshots} for the look-ups across all organizations.
 */
function runLookUpsOutsideSnapshots(
  lookUps: Functions<StorageLookUps, LookUpContext>,
): Functions<StorageLookUps, OutsideLookUpContext> {
  const all = Object.entries<AnyFunction<LookUpContext>>(lookUps).map(([name, run]) => [
    name,
    getRules(run).isOneState ? lookUpInSnapshot(run) : lookUpInTurn(run),
  ]);
  // Every function keeps its name and type.
  return Object.fromEntries(all);
}

function lookUpInSnapshot(run: AnyFunction<LookUpContext>): AnyFunction<OutsideLookUpContext> {
  return function* ({ snapshot }, ...args) {
    return yield* awaitInStep(snapshot((on) => run(on, ...args), findLine(args)));
  };
}

function lookUpInTurn(run: AnyFunction<LookUpContext>): AnyFunction<OutsideLookUpContext> {
  return (on, ...args) => {
    const line = findLine(args);
    return run(line === undefined ? on : { session: on.sessionOf(line) }, ...args);
  };
}

/**
 * Returns the line in which a look-up waits for a connection. A look-up by a text, such as a token's hash, waits in the text's own
 * line, so that a caller who looks the same thing up again and again waits for itself.
 */
function findLine([first]: readonly unknown[]): string | undefined {
  return typeof first === "string" ? first : undefined;
}

/** The context passed to every function of a transaction. */
type SetWriteContext = WriteContext & ReadingColumns;

type PortReads = Omit<StorageReader, "all">;

type PortMethods = Omit<StorageTransaction, "all">;

type Run = AnyFunction<SetWriteContext>;

/**
 * Returns the port's functions with their locking applied, for use in a transaction. If transactions run in parallel, each call
 * first locks its organization's row, unless the function's rules say otherwise. An organization's transactions therefore run one
 * at a time, and the data they have read stays valid. Locks are always taken in the same order, first the organization and then its
 * rows, so transactions for different organizations never wait for each other. Taking the lock also checks the fence if the
 * transaction hasn't passed it yet.
 */
function bindToTransaction(
  functions: Functions<PortMethods, SetWriteContext>,
  locksOrganizations: boolean,
): Functions<PortMethods, SetWriteContext> {
  const all = Object.entries<Run>(functions).map(([name, run]) => {
    const { locks, readsBuffered } = getRules(run);
    const wrapped = readsBuffered ? runAfterWriting(run) : run;
    if (!locksOrganizations) return [name, wrapped];
    return [name, locks === "organization" ? runAfterLocking(wrapped) : runAfterLettingIn(wrapped)];
  });
  // Every function keeps its name and type.
  return Object.fromEntries(all);
}

/** Returns the look-ups for use in a transaction. They lock no organization, but check the fence as other calls do. */
function bindLookUpsToTransaction(
  lookUps: Functions<StorageLookUps, SetWriteContext>,
  locksOrganizations: boolean,
): Functions<StorageLookUps, SetWriteContext> {
  const all = Object.entries<Run>(lookUps).map(([name, run]) => {
    const wrapped = getRules(run).readsBuffered ? runAfterWriting(run) : run;
    return [name, locksOrganizations ? runAfterLettingIn(wrapped) : wrapped];
  });
  // Every function keeps its name and type.
  return Object.fromEntries(all);
}

function runAfterWriting(run: Run): Run {
  return function* (on, ...args) {
    yield* on.buffer.write();
    return yield* run(on, ...args);
  };
}

function runAfterLettingIn(run: Run): Run {
  return function* (on, ...args) {
    yield* on.buffer.checkFence();
    return yield* run(on, ...args);
  };
}

function runAfterLocking(run: Run): Run {
  return function* (on, ...args) {
    yield* on.buffer.lock(on.organizationId);
    return yield* run(on, ...args);
  };
}
