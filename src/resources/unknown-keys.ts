import * as z from "zod";
import { unknownKeysError } from "../errors.js";
import { MAX_REPORTED_FIELDS } from "./parse.js";

/** @throws {LoyaltyError} `validation_failed` on each of the keys, if there are any. */
export function assertNoUnknownKeys(paths: readonly string[]): void {
  const refusal = unknownKeysError(paths);
  if (refusal !== null) throw refusal;
}

/**
 * Returns a function that lists an object's keys that a type doesn't have.
 * @param known all keys of the type; the compiler finds a missing one.
 */
export function createKeyChecker<Known>(known: Readonly<Record<keyof Known, unknown>>) {
  return (given: unknown): string[] => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return [];
    return Object.entries(given).flatMap(([key, value]) =>
      value === undefined || Object.hasOwn(known, key) ? [] : [key],
    );
  };
}

/** More items than any input that is right has: 20 cards of 1,000 entries. A hostile one has hundreds of thousands. */
const MOST_LOOKED_AT = 25_000;

/**
 * Returns the paths of the keys that the schema would ignore, up to a limit. Keys without a value do not count.
 * @param resource the resource that the input creates or changes. Its own fields, such as `id`, are known, so that callers can send
 *   back what they have read.
 */
export function unknownKeys(
  schema: z.core.$ZodType,
  value: unknown,
  resource: z.core.$ZodType | null = null,
): string[] {
  const found: string[] = [];
  const toLookAt = { left: MOST_LOOKED_AT };
  for (const path of unknownIn(schema, value, "", resource ?? undefined, toLookAt))
    if (found.push(path) === MAX_REPORTED_FIELDS) break;
  return found;
}

function* unknownIn(
  schema: z.core.$ZodType,
  value: unknown,
  path: string,
  resource: z.core.$ZodType | undefined,
  toLookAt: { left: number },
): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  const known = withoutWrapping(schema);
  const own = resource && withoutWrapping(resource);
  if (known instanceof z.ZodArray) {
    if (!Array.isArray(value)) return;
    const element = own instanceof z.ZodArray ? own.element : undefined;
    for (const [at, item] of value.entries()) {
      toLookAt.left -= 1;
      if (toLookAt.left < 0) return;
      yield* unknownIn(known.element, item, joinPath(path, at), element, toLookAt);
    }
  } else if (known instanceof z.ZodObject && !refusesUnknown(known)) {
    for (const [key, child] of Object.entries(value)) {
      const field = findFieldSchema(known, key);
      const ownField = findFieldSchema(own, key);
      if (field !== undefined) yield* unknownIn(field, child, joinPath(path, key), ownField, toLookAt);
      else if (child !== undefined && ownField === undefined) yield joinPath(path, key);
    }
  }
}

function findFieldSchema(schema: z.core.$ZodType | undefined, key: string): z.core.$ZodType | undefined {
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
}

/** Returns the schema inside optional, nullable, default and transforming wrappers. */
function withoutWrapping(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return withoutWrapping(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) {
    const { in: before, out: after } = schema.def;
    return withoutWrapping(after instanceof z.ZodTransform ? before : after);
  }
  return schema;
}

/** A strict object reports its unknown keys when it is parsed. */
function refusesUnknown({ def }: z.ZodObject): boolean {
  return def.catchall instanceof z.ZodNever;
}

function joinPath(path: string, key: string | number): string {
  return path === "" ? String(key) : `${path}.${key}`;
}
