import { type LoyaltyError, unknownKeysError, validationFailed } from "../errors.js";
import type { Scope } from "../scopes.js";
import type { Guard } from "../tenant/use-cases.js";
import type { RouteText } from "./routes.js";

/** An argument of a call. */
export interface Argument {
  /** The name that errors give it. */
  readonly name: string;
  /** A schema validates an `input` and reports its errors. */
  readonly kind: "text" | "options" | "rows" | "input";
  /** Finds the keys that the call does not know. Without it all keys are known. */
  readonly unknownKeys?: (given: unknown) => readonly string[];
}

/** The parameters of paths that calls name otherwise. */
const callNames: Readonly<Record<string, string>> = {
  walletPassId: "passId",
  tagSlug: "slug",
  segmentSlug: "slug",
  id: "tokenId",
};

export const rowsArgument: Argument = { name: "rows", kind: "rows" };

export function textArgument(name: string): Argument {
  return { name, kind: "text" };
}

export function optionsArgument(unknownKeys?: Argument["unknownKeys"], name = "options"): Argument {
  return unknownKeys === undefined ? { name, kind: "options" } : { name, kind: "options", unknownKeys };
}

/** Returns the arguments that a call has for the parameters of its route, in their order. */
export function paramArguments(route: RouteText): Argument[] {
  const { path, field } = parseRoute(route);
  const ofPath = listRouteParams(path).map((name) => textArgument(callNames[name] ?? name));
  return field === null ? ofPath : [...ofPath, { name: field, kind: "input" }];
}

/** Takes a route apart: its kind, its path, and the field of the body that is an argument of its own, or `null`. */
export function parseRoute(route: string) {
  const [kind = "", path = "", field] = route.split(" ");
  return { kind, path, field: field?.slice(1, -1) ?? null };
}

/** The names of the parameters of a path. */
export function listRouteParams(route: string): string[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Returns whether the call's last argument is its options instead of an input. */
export function takesOptions(route: RouteText): boolean {
  return /^(ACT|DELETE) /.test(route);
}

/**
 * Returns the guard of a call. It looks at the kinds of the arguments first, then at the scopes, and then at unknown keys, where
 * the caller is strict.
 */
export function createGuard(
  known: readonly Argument[],
  scopes: readonly Scope[],
  isForUsers: boolean,
): Guard {
  return (tenant, given) =>
    findArgumentError(known, given) ??
    tenant.findAccessError(scopes, isForUsers) ??
    (tenant.isStrict
      ? unknownKeysError(known.flatMap(({ unknownKeys }, at) => unknownKeys?.(given[at]) ?? []))
      : null);
}

/** Returns `validation_failed` naming each argument of a wrong kind; `null` if there is none. */
export function findArgumentError(
  known: readonly Argument[],
  given: readonly unknown[],
): LoyaltyError | null {
  let fields: Record<string, string> | null = null;
  for (let at = 0; at < known.length; at += 1) {
    const argument = known[at];
    const value = given[at];
    if (argument === undefined || isOfKind(argument.kind, value)) continue;
    fields ??= {};
    fields[argument.name] =
      value === undefined ? "is required" : `must be ${kinds[argument.kind]}, not ${describeType(value)}`;
  }
  return fields === null ? null : validationFailed(fields);
}

const kinds = {
  text: "a text",
  options: "an object",
  rows: "an iterable of rows",
  input: "an object",
} as const;

function isOfKind(kind: Argument["kind"], value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "options":
      return value === undefined || (isObject(value) && !Array.isArray(value));
    case "rows":
      return isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value);
    case "input":
      return true;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** @throws {LoyaltyError} `validation_failed` naming the arguments of a wrong kind. */
export function refuseOthers(known: readonly Argument[], given: readonly unknown[]): void {
  const refusal = findArgumentError(known, given);
  if (refusal !== null) throw refusal;
}
