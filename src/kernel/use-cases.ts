import { runSync } from "../base/concurrency/event-loop.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import type { LoyaltyError } from "../base/errors.js";
import { type AnyPage, StreamedList, type WithLists, withItems } from "../base/list-promise.js";
import type { Tenant } from "./tenant.js";

/** A function that decides whether a call is allowed. It returns the error to throw, or `null` if the call is allowed. */
export type Guard = (tenant: Tenant, args: readonly unknown[]) => LoyaltyError | null;

/** Properties of a call that don't depend on the caller. */
export interface CallRule {
  readonly guard: Guard;
  /** The index of the query argument if the call returns a list or a page, or `null` otherwise. */
  readonly queryAt: number | null;
  /** Whether the call returns a list that is streamed rather than read page by page. */
  readonly isStreamed: boolean;
}

export type CallRules = ReadonlyMap<string, CallRule>;

/** A resource's calls as exposed to callers. Calls that are written as steps return promises. */
export type CallsOf<Cases> = [keyof SyncCallsOf<Cases>] extends [never]
  ? Cases
  : {
      readonly [Name in keyof Cases]: Cases[Name] extends (...args: infer Given) => Step<infer Result>
        ? (...args: Given) => Promise<Result>
        : Cases[Name];
    };

/**
 * The synchronous versions of the calls that are written as steps. They return or throw synchronously and don't accept idempotency
 * keys.
 */
export type SyncCallsOf<Cases> = {
  readonly [Name in keyof Cases as Cases[Name] extends (...args: never[]) => Step<unknown>
    ? Name
    : never]: Cases[Name] extends (...args: infer Given) => Step<infer Result>
    ? (...args: { [At in keyof Given]: WithoutKey<Given[At]> }) => Result
    : never;
};

type WithoutKey<Given> = Given extends object ? Omit<Given, "idempotencyKey"> : Given;

type Call = (...args: unknown[]) => unknown;
type ListResult = readonly unknown[] | AnyPage<unknown>;
type CasesClass<Cases> = new (tenant: Tenant) => Cases;

/**
 * Base class for the classes that implement a resource's operations. Each instance acts on one organization on behalf of one
 * caller.
 */
export abstract class UseCases {
  constructor(protected readonly tenant: Tenant) {}

  /** Returns an instance of the class for one call; see {@link Tenant.ofCall}. */
  private ofCall(casesClass: CasesClass<UseCases>): UseCases {
    const tenant = this.tenant.ofCall();
    return tenant === this.tenant ? this : new casesClass(tenant);
  }

  /**
   * Wraps a class's calls so that a guard checks each one before any of its code runs. When the guard rejects a call, the returned
   * promise rejects, or the returned list throws when it is first read. Modifies the class itself, because a subclass would slow
   * down each call.
   */
  static withGuards<Cases extends UseCases>(
    casesClass: CasesClass<Cases>,
    rules: CallRules,
  ): CasesClass<WithLists<CallsOf<Cases>>>;
  static withGuards(casesClass: CasesClass<UseCases>, rules: CallRules): CasesClass<object> {
    return UseCases.wrapCalls(casesClass, rules, casesClass, (call, { guard, queryAt, isStreamed }) => {
      if (isStreamed) {
        return function (this: UseCases, ...args) {
          const cases = this.ofCall(casesClass);
          const error = guard(cases.tenant, args);
          return error === null
            ? Reflect.apply(call, cases, args)
            : new StreamedList(() => throwOnIteration(error));
        };
      }
      if (returnsIterator(call, Symbol.asyncIterator)) {
        return function (this: UseCases, ...args) {
          const cases = this.ofCall(casesClass);
          const error = guard(cases.tenant, args);
          return error === null ? Reflect.apply(call, cases, args) : throwOnIteration(error);
        };
      }
      if (isStepCall(call)) {
        return function (this: UseCases, ...args) {
          const cases = this.ofCall(casesClass);
          const error = guard(cases.tenant, args);
          return error === null ? runStep(Reflect.apply(call, cases, args)) : Promise.reject(error);
        };
      }
      const guardedCall = function (this: UseCases, ...args: unknown[]) {
        const cases = this.ofCall(casesClass);
        const error = guard(cases.tenant, args);
        return error === null ? Reflect.apply(call, cases, args) : Promise.reject(error);
      };
      if (queryAt === null) return guardedCall;
      return function (this: UseCases, ...args) {
        const readPage = async (next: readonly unknown[]): Promise<ListResult> => {
          const list: unknown = await Reflect.apply(guardedCall, this, next);
          assertList(list);
          return list;
        };
        return withItems(readPage(args), (cursor) => {
          const next = [...args];
          next[queryAt] = Object.assign({}, args[queryAt], cursor);
          return readPage(next);
        });
      };
    });
  }

  /**
   * Creates a class that contains only the calls written as steps, which return or throw synchronously. Call this before {@link
   * withGuards}.
   */
  static synchronous<Cases extends UseCases>(
    casesClass: CasesClass<Cases>,
    rules: CallRules,
  ): CasesClass<SyncCallsOf<Cases>>;
  static synchronous(casesClass: CasesClass<UseCases>, rules: CallRules): CasesClass<object> {
    return UseCases.wrapCalls(casesClass, rules, class extends UseCases {}, (call, { guard }) => {
      if (!isStepCall(call)) return undefined;
      return function (this: UseCases, ...args) {
        const cases = this.ofCall(casesClass);
        const error = guard(cases.tenant, args);
        if (error !== null) throw error;
        return runSync(Reflect.apply(call, cases, args));
      };
    });
  }

  private static wrapCalls(
    casesClass: CasesClass<UseCases>,
    rules: CallRules,
    target: CasesClass<UseCases>,
    wrap: (call: Call, rule: CallRule) => ((this: UseCases, ...args: unknown[]) => unknown) | undefined,
  ): CasesClass<UseCases> {
    for (const [name, rule] of rules) {
      const call: unknown = Reflect.get(casesClass.prototype, name);
      if (!isCall(call)) throw new TypeError(`${casesClass.name} has no call ${name}`);
      const value = wrap(call, rule);
      if (value !== undefined)
        Object.defineProperty(target.prototype, name, { value, writable: true, configurable: true });
    }
    return target;
  }
}

function isCall(member: unknown): member is Call {
  return typeof member === "function";
}

/** @throws {TypeError} if the result is not a list. */
function assertList(result: unknown): asserts result is ListResult {
  const isPage = typeof result === "object" && result !== null && "content" in result;
  if (!isPage && !Array.isArray(result)) throw new TypeError("the call doesn't return a list");
}

function isStepCall(call: Call): call is (...args: unknown[]) => Step<unknown> {
  return returnsIterator(call, Symbol.iterator);
}

/** Returns whether a call is a generator function whose generators have this iterator, which they inherit from its `prototype`. */
function returnsIterator(call: Call, iterator: symbol): boolean {
  const prototype: unknown = call.prototype;
  return typeof prototype === "object" && prototype !== null && iterator in prototype;
}

// biome-ignore lint/correctness/useYield: it has nothing to give.
async function* throwOnIteration(error: LoyaltyError): AsyncGenerator<never, void, undefined> {
  throw error;
}
