import assert from "node:assert/strict";
import { awaitInStep, runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import {
  type StorageAdapter,
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../../../src/storage/storage-adapter.js";
import { readTwice, waitBriefly } from "../kit/meanwhile.js";
import { organizationIds, pickQuestions, type Question, runQuestion, runQuestions } from "./reads.js";
import { organizations, type World } from "./world.js";
import { nextWrites, type WriteName, write } from "./writes.js";

type MethodName = Exclude<keyof StorageTransaction, "all">;

/** A call inside a transaction, with the oracle's result or conflict. */
interface Call {
  readonly method: MethodName;
  readonly args: readonly unknown[];
  readonly outcome: unknown;
}

/** A transaction as the oracle ran it: the calls, and the results of reads before, inside and after it. */
interface ExpectedTransaction {
  readonly organizationId: string;
  readonly calls: readonly Call[];
  readonly outside: readonly Question[];
  readonly before: readonly unknown[];
  readonly inside: readonly Question[];
  readonly uncommitted: readonly unknown[];
  readonly after: readonly unknown[];
}

/** Maximum number of further writes in a transaction after the first one. */
const MAX_FURTHER_WRITES = 20;

const failure = new Error("rolled back");

/**
 * Runs the given write, followed by some random writes, in one transaction on the oracle and again in one transaction on the
 * storage under test. Asserts that reads give the same results on both.
 * @param isCommitted whether the transactions are committed rather than rolled back.
 */
export async function writeAndCompare(
  storage: StorageAdapter,
  oracle: StorageAdapter,
  world: World,
  first: WriteName,
  isCommitted: boolean,
): Promise<void> {
  const state = storage.committedState();
  const expected = await computeExpected(
    oracle,
    world,
    [first, ...world.pickSome(nextWrites, MAX_FURTHER_WRITES)],
    isCommitted,
  );
  const { organizationId, calls, outside, before, inside, uncommitted, after } = expected;
  const description = calls.map(formatCall).join("\n  ");
  const isObserved = world.oneIn(3);

  let observation: Promise<unknown> = Promise.resolve();
  const replay = () =>
    waitForEnd(
      storage.transaction(organizationId, function* (tx) {
        for (const call of calls) yield* repeatCall(tx, call);
        yield* compare(tx, inside, uncommitted, `in the transaction of\n  ${description}`);
        if (isCommitted) return;
        if (isObserved) {
          observation = compareConcurrently(
            storage,
            outside,
            before,
            `outside the transaction of\n  ${description}`,
          );
          yield* awaitInStep(waitBriefly(observation));
        }
        throw failure;
      }),
      isCommitted,
    );
  if (isCommitted && isObserved) {
    const visibleQuestions = [...outside.entries()].filter(
      ([, { organizationId: id }]) => id === null || id === organizationId,
    );
    const questions = visibleQuestions.map(([, question]) => question);
    const expectedAnswers = visibleQuestions.map(([at]) => before[at]);
    await readTwice<StorageReader, void>(
      (work) => storage.snapshot(organizationId, work),
      (reader) => compare(reader, questions, expectedAnswers, `in a snapshot from before\n  ${description}`),
      replay,
    );
  } else await replay();
  await observation;

  const end = isCommitted ? "commit" : "rollback";
  await compareConcurrently(storage, outside, after, `after the ${end} of\n  ${description}`);
  if (state !== null && !areSame(after, before)) {
    assert.notEqual(
      storage.committedState(),
      state,
      `the committed state is the same after\n  ${description}`,
    );
  }
}

function areSame(actual: unknown, expected: unknown): boolean {
  try {
    assert.deepEqual(actual, expected);
    return true;
  } catch {
    return false;
  }
}

/** Chooses about half of the reads, which is enough because a wrong row stays wrong and is read again later. */
const pickHalf = (world: World, of?: readonly string[]) =>
  pickQuestions(world, 1, of).filter(() => world.oneIn(2));

/** Returns whether a write adds an organization's only queue, and therefore needs an organization without rows. */
function addsQueue(name: WriteName | undefined): boolean {
  return name !== undefined && /^insert\w+Queue$/.test(name);
}

async function computeExpected(
  oracle: StorageAdapter,
  world: World,
  names: readonly WriteName[],
  isCommitted: boolean,
): Promise<ExpectedTransaction> {
  const one = world.pickOne(organizations);
  const organizationId = addsQueue(names[0]) ? `${one} ${world.name()}` : one;
  const readerOf = (id: string) => oracle.reader(id);
  const outsideReads = pickHalf(world, [...organizationIds, organizationId]);
  const expectedBefore = await runStep(runQuestions(readerOf, outsideReads));
  const calls: Call[] = [];
  let inside: readonly Question[] = [];
  let uncommitted: readonly unknown[] = [];
  const writing = oracle.transaction(organizationId, function* (tx) {
    for (const name of names) {
      yield* runToOutcome(write(name, recordCalls(tx, calls), world, organizationId));
    }
    inside = pickHalf(world, [organizationId]);
    uncommitted = yield* runQuestions(() => tx, inside);
    if (!isCommitted) throw failure;
  });
  await waitForEnd(writing, isCommitted);
  return {
    organizationId,
    calls,
    outside: outsideReads,
    before: expectedBefore,
    inside,
    uncommitted,
    after: await runStep(runQuestions(readerOf, outsideReads)),
  };
}

async function waitForEnd(transaction: Promise<unknown>, isCommitted: boolean): Promise<void> {
  const outcome = await transaction.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome !== (isCommitted ? null : failure)) throw outcome;
}

type Outcome = { readonly answer: unknown } | { readonly conflict: StorageConflict };

function* runToOutcome(step: Step<unknown>): Step<Outcome> {
  try {
    return { answer: yield* step };
  } catch (error) {
    if (error instanceof StorageConflict) return { conflict: error };
    throw error;
  }
}

/** Calls a transaction's method by its name. */
function callMethod(tx: StorageTransaction, method: MethodName, args: readonly unknown[]) {
  const step: Step<unknown> = Reflect.apply(tx[method], tx, args);
  return step;
}

/** Makes outcomes comparable. If a user's email and external ID are both taken, a storage can report either conflict. */
function toComparable(outcome: Outcome): unknown {
  if ("answer" in outcome) return outcome.answer;
  const { key } = outcome.conflict;
  return { conflict: key === "externalId" ? "email" : key };
}

/** Returns the transaction with its calls recorded. */
function recordCalls(tx: StorageTransaction, calls: Call[]): StorageTransaction {
  return new Proxy(tx, {
    get: (_, method: keyof StorageTransaction) =>
      method === "all"
        ? tx.all
        : function* (...args: readonly unknown[]) {
            const outcome = yield* runToOutcome(callMethod(tx, method, args));
            calls.push({ method, args, outcome: toComparable(outcome) });
            if ("conflict" in outcome) throw outcome.conflict;
            return outcome.answer;
          },
  });
}

function* repeatCall(tx: StorageTransaction, call: Call): Step<void> {
  const args = call.args.map((arg) => (arg instanceof Bitmap ? arg : structuredClone(arg)));
  const outcome = toComparable(yield* runToOutcome(callMethod(tx, call.method, args)));
  assertSame(outcome, call.outcome, `${formatCall(call)} itself`);
  overwriteFields([args, outcome]);
}

/**
 * Overwrites every field of a record, including nested ones, to verify that the storage holds copies. Bitmaps are immutable and are
 * left alone.
 */
function overwriteFields(value: unknown): void {
  if (typeof value !== "object" || value === null || value instanceof Bitmap) return;
  for (const [key, item] of Object.entries(value)) {
    overwriteFields(item);
    Reflect.set(value, key, "scribbled");
  }
}

function* compare(
  reader: StorageReader,
  questions: readonly Question[],
  expected: readonly unknown[],
  when: string,
): Step<void> {
  for (const [at, question] of questions.entries()) {
    const answer = yield* runQuestion(reader, question);
    assertSame(answer, expected[at], `${formatCall(question)} ${when}`);
    overwriteFields(answer);
  }
}

async function compareConcurrently(
  storage: StorageAdapter,
  questions: readonly Question[],
  expected: readonly unknown[],
  when: string,
): Promise<void> {
  const comparisons = questions.map((question, at) =>
    runStep(
      compare(storage.reader(question.organizationId ?? organizations[0]), [question], [expected[at]], when),
    ),
  );
  await Promise.all(comparisons);
}

function assertSame(actual: unknown, expected: unknown, what: string): void {
  try {
    assert.deepEqual(actual, expected);
  } catch (cause) {
    const difference = cause instanceof Error ? cause.message : "";
    throw new Error(`${what}\n\ndoes not answer what the oracle answers: ${difference}`, { cause });
  }
}

function formatCall({ method, args }: Pick<Call | Question, "method" | "args">): string {
  return `${method}(${args.map((argument) => JSON.stringify(argument)).join(", ")})`;
}
