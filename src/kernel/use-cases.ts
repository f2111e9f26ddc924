import { runSync } from "../base/concurrency/run-sync.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import type { LoyaltyError } from "../base/errors.js";
import { type AnyPage, StreamedList, type WithLists, withItems } from "../base/list-promise.js";
import type { Tenant } from "./tenant.js";

/** A function that decides whether a call is allowed. It returns the error to throw, or `null` if the call is allowed. */
export type Guard = (tenant: Tenant, given: readonly unknown[]) => LoyaltyError | null;

/** Properties of a call that don't depend on the caller. */
export interface CallRule {
  readonly guard: Guard;
  /** If the call returns a list or a page, the index of the query among the call's arguments. Otherwise, `null`. */
  readonly queryAt: number | null;
  /** Whether the call returns a list that is streamed rather than read page by page. */
  readonly isStreamed: boolean;
}

export type CallRules = ReadonlyMap<string, CallRule>;

/** A resource's calls as callers see them. The calls that are written as steps return promises. */
export type CallsOf<Cases> = [keyof SyncCallsOf<Cases>] extends [never]
  ? Cases
  : {
      readonly [Name in keyof Cases]: Cases[Name] extends (...given: infer Given) => Step<infer Result>
        ? (...given: Given) => Promise<Result>
        : Cases[Name];
    };

/** The synchronous form of the calls that are written as steps. They return or throw synchronously and take no idempotency keys. */
export type SyncCallsOf<Cases> = {
  readonly [Name in keyof Cases as Cases[Name] extends (...given: never[]) => Step<unknown>
    ? Name
    : never]: Cases[Name] extends (...given: infer Given) => Step<infer Result>
    ? (...given: { [At in keyof Given]: WithoutKey<Given[At]> }) => Result
    : never;
};

type WithoutKey<Given> = Given extends object ? Omit<Given, "idempotencyKey"> : Given;

type Call = (...given: unknown[]) => unknown;
type List = readonly unknown[] | AnyPage<unknown>;
type CasesClass<Cases> = new (tenant: Tenant) => Cases;

/**
 * Base class for the classes that implement a resource's operations. Each instance acts on one organization on behalf of one
 * caller.
 */
export abstract class UseCases {
  constructor(protected readonly tenant: Tenant) {}

  /** Returns an instance of the class for one call; see {@link Tenant.ofCall}. */
  private ofCall(of: CasesClass<UseCases>): UseCases {
    const tenant = this.tenant.ofCall();
    return tenant === this.tenant ? this : new of(tenant);
  }

  /**
   * Wraps a class's calls so that a guard checks each one before any of its code runs. When the guard rejects a call, the returned
   * promise rejects, or the returned list throws when it is first read. The class itself is modified, because a subclass would slow
   * down each call.
   */
  static withGuards<Cases extends UseCases>(
    of: CasesClass<Cases>,
    rules: CallRules,
  ): CasesClass<WithLists<CallsOf<Cases>>>;
  static withGuards(of: CasesClass<UseCases>, rules: CallRules): CasesClass<object> {
    return UseCases.wrapCalls(of, rules, of, (call, { guard, queryAt, isStreamed }) => {
      if (isStreamed) {
        return function (this: UseCases, ...given) {
          const cases = this.ofCall(of);
          const refusal = guard(cases.tenant, given);
          return refusal === null
            ? Reflect.apply(call, cases, given)
            : new StreamedList(() => refusedList(refusal));
        };
      }
      if (gives(call, Symbol.asyncIterator)) {
        return function (this: UseCases, ...given) {
          const cases = this.ofCall(of);
          const refusal = guard(cases.tenant, given);
          return refusal === null ? Reflect.apply(call, cases, given) : refusedList(refusal);
        };
      }
      if (isStepCall(call)) {
        return function (this: UseCases, ...given) {
          const cases = this.ofCall(of);
          const refusal = guard(cases.tenant, given);
          return refusal === null ? runStep(Reflect.apply(call, cases, given)) : Promise.reject(refusal);
        };
      }
      const made = function (this: UseCases, ...given: unknown[]) {
        const cases = this.ofCall(of);
        const refusal = guard(cases.tenant, given);
        return refusal === null ? Reflect.apply(call, cases, given) : Promise.reject(refusal);
      };
      if (queryAt === null) return made;
      return function (this: UseCases, ...given) {
        const page = async (next: readonly unknown[]): Promise<List> => {
          const list: unknown = await Reflect.apply(made, this, next);
          assertList(list);
          return list;
        };
        return withItems(page(given), (place) => {
          const next = [...given];
          next[queryAt] = Object.assign({}, given[queryAt], place);
          return page(next);
        });
      };
    });
  }

  /**
   * Creates a class with only the calls that are written as steps, in a form that returns or throws synchronously. Call it before
   * {@link withGuards}.
   */
  static synchronous<Cases extends UseCases>(
    of: CasesClass<Cases>,
    rules: CallRules,
  ): CasesClass<SyncCallsOf<Cases>>;
  static synchronous(of: CasesClass<UseCases>, rules: CallRules): CasesClass<object> {
    return UseCases.wrapCalls(of, rules, class extends UseCases {}, (call, { guard }) => {
      if (!isStepCall(call)) return undefined;
      return function (this: UseCases, ...given) {
        const cases = this.ofCall(of);
        const refusal = guard(cases.tenant, given);
        if (refusal !== null) throw refusal;
        return runSync(Reflect.apply(call, cases, given));
      };
    });
  }

  private static wrapCalls(
    of: CasesClass<UseCases>,
    rules: CallRules,
    into: CasesClass<UseCases>,
    wrap: (call: Call, rule: CallRule) => ((this: UseCases, ...given: unknown[]) => unknown) | undefined,
  ): CasesClass<UseCases> {
    for (const [name, rule] of rules) {
      const call: unknown = Reflect.get(of.prototype, name);
      if (!isCall(call)) throw new TypeError(`${of.name} has no call ${name}`);
      const value = wrap(call, rule);
      if (value !== undefined)
        Object.defineProperty(into.prototype, name, { value, writable: true, configurable: true });
    }
    return into;
  }
}

function isCall(member: unknown): member is Call {
  return typeof member === "function";
}

/** @throws {TypeError} if the result is not a list. */
function assertList(result: unknown): asserts result is List {
  const isPage = typeof result === "object" && result !== null && "content" in result;
  if (!isPage && !Array.isArray(result)) throw new TypeError("the call returns no list");
}

function isStepCall(call: Call): call is (...given: unknown[]) => Step<unknown> {
  return gives(call, Symbol.iterator);
}

/** Returns whether a call is a generator function whose generators have this iterator, which they inherit from its `prototype`. */
function gives(call: Call, iterator: symbol): boolean {
  const generators: unknown = call.prototype;
  return typeof generators === "object" && generators !== null && iterator in generators;
}

// biome-ignore lint/correctness/useYield: it has nothing to give.
async function* refusedList(refusal: LoyaltyError): AsyncGenerator<never, void, undefined> {
  throw refusal;
}
