import { type Argument, refusalOf } from "./call-arguments.js";
import type { LoyaltyError } from "./errors.js";

type KnownCalls = Readonly<Record<string, readonly Argument[]>>;

/**
 * Has calls refused (`validation_failed`, naming each) for arguments of a wrong kind, such as an id that is no text, before any
 * of their lines is run. Those that answer later reject, lists at their first step.
 * @param group what has the calls; they are changed where they stand, so that who looks at it sees no other.
 */
export function checkCalls<Group extends object>(group: Group, known: KnownCalls): Group {
  return check(group, known, (refusal, call) =>
    isList(call) ? refusedList(refusal) : Promise.reject(refusal),
  );
}

/** {@link checkCalls} for a class. */
export function checked<Class extends { readonly prototype: object }>(of: Class, known: KnownCalls): Class {
  checkCalls(of.prototype, known);
  return of;
}

/** {@link checked} for calls that return or throw at once. */
export function checkedSync<Class extends { readonly prototype: object }>(
  of: Class,
  known: KnownCalls,
): Class {
  check(of.prototype, known, (refusal) => {
    throw refusal;
  });
  return of;
}

type Call = (...given: unknown[]) => unknown;

function check<Group extends object>(
  group: Group,
  known: KnownCalls,
  refuse: (refusal: LoyaltyError, call: Call) => unknown,
): Group {
  for (const [name, places] of Object.entries(known)) {
    const call: unknown = Reflect.get(group, name);
    if (!isCall(call) || places.every((argument) => argument === null)) continue;
    const checked = function (this: unknown, ...given: unknown[]): unknown {
      const refusal = refusalOf(places, given);
      return refusal === null ? Reflect.apply(call, this, given) : refuse(refusal, call);
    };
    Object.defineProperty(group, name, { ...Object.getOwnPropertyDescriptor(group, name), value: checked });
  }
  return group;
}

function isCall(member: unknown): member is Call {
  return typeof member === "function";
}

/** What a generator gives inherits from the `prototype` of its function. */
function isList(call: Call): boolean {
  const given: unknown = call.prototype;
  return typeof given === "object" && given !== null && Symbol.asyncIterator in given;
}

// biome-ignore lint/correctness/useYield: it has nothing to give.
async function* refusedList(refusal: LoyaltyError): AsyncGenerator<never, void, undefined> {
  throw refusal;
}
