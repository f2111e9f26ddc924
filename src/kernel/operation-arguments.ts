import { describeKind } from "../base/error-messages.js";
import { LoyaltyError, type UnknownKey, unknownKeysError, validationFailed } from "../base/errors.js";
import type { Scope } from "../base/scopes.js";
import type { RouteText } from "./routes.js";
import type { Guard } from "./use-cases.js";

/** Name and expected kind of one argument to a library call. */
export interface Argument {
  /** Name of the argument in error messages. */
  readonly name: string;
  /**
   * Kind of value that the argument must have. Any value is accepted for `field` and any object for `input`, because a schema
   * validates them later.
   */
  readonly kind: "text" | "options" | "rows" | "field" | "input";
  /** Returns the argument's unrecognized keys. If this function is missing, all keys are accepted. */
  readonly unknownKeys?: (args: unknown) => readonly UnknownKey[];
}

/** Path parameters whose argument has a different name in library calls. */
const argumentNamesByParam: Readonly<Record<string, string>> = {
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

/** Returns the arguments that a call takes for its route's parameters, in route order. */
export function listParamArguments(route: RouteText): Argument[] {
  const { path, field } = parseRoute(route);
  const pathArguments = listRouteParams(path).map((name) => textArgument(argumentNamesByParam[name] ?? name));
  return field === null ? pathArguments : [...pathArguments, { name: field, kind: "field" }];
}

/** Splits a route into its kind, its path, and the body field that calls take as a separate argument (`null` if there is none). */
export function parseRoute(route: string) {
  const [kind = "", path = "", field] = route.split(" ");
  return { kind, path, field: field?.slice(1, -1) ?? null };
}

/** Returns the names of the parameters in a route's path, in order, such as `userId` for `{userId}`. */
export function listRouteParams(route: string): string[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Returns whether the last argument of the route's call is an options object rather than the call's input. */
export function takesOptions(route: RouteText): boolean {
  return /^(ACT|DELETE) /.test(route);
}

/**
 * Creates the guard for a call. The guard checks the kinds of the arguments first, then the caller's access, then whether the
 * input is an object, and finally, in strict mode, whether the arguments have unknown keys.
 * @param call the call's name, such as `stamps.add`. Error messages about the arguments show an example of the call.
 */
export function createGuard(
  call: string,
  parameters: readonly Argument[],
  scopes: readonly Scope[],
  isForUsers: boolean,
): Guard {
  return (tenant, args) =>
    findArgumentError(parameters, args, call) ??
    tenant.findAccessError(scopes, isForUsers) ??
    findInputError(parameters, args, call) ??
    (tenant.isStrict
      ? unknownKeysError(parameters.flatMap(({ unknownKeys }, index) => unknownKeys?.(args[index]) ?? []))
      : null);
}

/**
 * Returns a `validation_failed` error that names each argument of the wrong type, or `null` if all arguments are valid.
 * @param call the call's name. If given, the message includes an example of the call.
 */
export function findArgumentError(
  parameters: readonly Argument[],
  args: readonly unknown[],
  call?: string,
): LoyaltyError | null {
  let fields: Record<string, string> | null = null;
  for (let index = 0; index < parameters.length; index += 1) {
    const argument = parameters[index];
    const value = args[index];
    if (argument === undefined || matchesKind(argument.kind, value)) continue;
    fields ??= {};
    fields[argument.name] =
      value === undefined
        ? "is required"
        : `must be ${kindDescriptions[argument.kind]}, not ${describeKind(value)}`;
  }
  if (fields === null) return null;
  const error = validationFailed(fields);
  if (call === undefined) return error;
  return new LoyaltyError(error.detail, { message: `${describeUsage(parameters, call)}; ${error.message}` });
}

/** Returns a `malformed_request` error if the call's input is present but isn't an object, or `null` otherwise. */
export function findInputError(
  parameters: readonly Argument[],
  args: readonly unknown[],
  call: string,
): LoyaltyError | null {
  const input = args[parameters.findIndex(({ kind }) => kind === "input")];
  if (isObjectOrAbsent(input)) return null;
  const message = `${describeUsage(parameters, call)}, but { … } is ${describeKind(input)}.`;
  return new LoyaltyError({ code: "malformed_request", params: null }, { message });
}

/** Describes how to make a call: `stamps.add takes (passId, { … })`. */
function describeUsage(parameters: readonly Argument[], call: string): string {
  return `${call} takes (${parameters.map(({ name, kind }) => (kind === "input" ? "{ … }" : name)).join(", ")})`;
}

const kindDescriptions = {
  text: "a text",
  options: "an object",
  rows: "an iterable of rows",
  field: "anything",
  input: "an object",
} as const;

function matchesKind(kind: Argument["kind"], value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "options":
      return isObjectOrAbsent(value);
    case "rows":
      return isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value);
    case "field":
    case "input":
      return true;
  }
}

function isObjectOrAbsent(value: unknown): boolean {
  return value === undefined || (isObject(value) && !Array.isArray(value));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/**
 * Checks that each argument has the expected type.
 * @throws {LoyaltyError} `validation_failed`, which names each argument that has the wrong type.
 */
export function assertArguments(parameters: readonly Argument[], args: readonly unknown[]): void {
  const error = findArgumentError(parameters, args);
  if (error !== null) throw error;
}
