import * as z from "zod";
import { type UnknownKey, unknownKeysError } from "./errors.js";
import { MAX_REPORTED_FIELDS } from "./parse.js";

/**
 * Rejects unknown keys.
 * @throws {LoyaltyError} `validation_failed` with a message for each unknown key, if there are any.
 */
export function assertNoUnknownKeys(keys: readonly UnknownKey[]): void {
  const refusal = unknownKeysError(keys);
  if (refusal !== null) throw refusal;
}

/**
 * Returns a function that lists the keys in an object that aren't part of its type.
 * @param knownKeys all keys of the type. The compiler reports an error if one is missing.
 */
export function createKeyChecker<Known>(knownKeys: Readonly<Record<keyof Known, unknown>>) {
  return (value: unknown): UnknownKey[] => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.entries(value)
      .filter(([key, value]) => value !== undefined && !Object.hasOwn(knownKeys, key))
      .map(([key]) => ({ path: key, near: findNearestWord(key, Object.keys(knownKeys)) }));
  };
}

/**
 * Maximum number of items to check: more than any valid input has (20 cards with 1,000 entries each). A hostile input can have
 * hundreds of thousands.
 */
const MAX_VALUES = 25_000;

/**
 * Returns the keys that the schema would ignore, up to a limit. Keys whose value is `undefined` don't count.
 * @param resource the resource that the input creates or changes. Its own fields, such as `id`, count as known, so callers can send
 *   back a resource that they have read.
 */
export function unknownKeys(
  schema: z.core.$ZodType,
  value: unknown,
  resource: z.core.$ZodType | null = null,
): UnknownKey[] {
  const unknownKeys: UnknownKey[] = [];
  const quota = { remaining: MAX_VALUES };
  for (const key of findUnknownKeys(schema, value, "", resource ?? undefined, quota))
    if (unknownKeys.push(key) === MAX_REPORTED_FIELDS) break;
  return unknownKeys;
}

function* findUnknownKeys(
  schema: z.core.$ZodType,
  value: unknown,
  path: string,
  resource: z.core.$ZodType | undefined,
  quota: { remaining: number },
): Generator<UnknownKey> {
  if (typeof value !== "object" || value === null) return;
  const inputSchema = withoutWrapping(schema);
  const resourceSchema = resource && withoutWrapping(resource);
  if (inputSchema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return;
    const element = resourceSchema instanceof z.ZodArray ? resourceSchema.element : undefined;
    for (const [at, item] of value.entries()) {
      quota.remaining -= 1;
      if (quota.remaining < 0) return;
      yield* findUnknownKeys(inputSchema.element, item, joinPath(path, at), element, quota);
    }
  } else if (inputSchema instanceof z.ZodObject && !isStrict(inputSchema)) {
    for (const [key, child] of Object.entries(value)) {
      const field = findFieldSchema(inputSchema, key);
      // Most fields hold a value without keys.
      if (field !== undefined && (typeof child !== "object" || child === null)) continue;
      const ownField = findFieldSchema(resourceSchema, key);
      if (field !== undefined) yield* findUnknownKeys(field, child, joinPath(path, key), ownField, quota);
      else if (child !== undefined && ownField === undefined)
        yield { path: joinPath(path, key), near: findNearestWord(key, Object.keys(inputSchema.shape)) };
    }
  }
}

function findFieldSchema(schema: z.core.$ZodType | undefined, key: string): z.core.$ZodType | undefined {
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
}

/** Unwraps optional, nullable, default and transforming schemas. */
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

/** Returns whether an object schema is strict, so that it reports its unknown keys itself. */
function isStrict({ def }: z.ZodObject): boolean {
  return def.catchall instanceof z.ZodNever;
}

function joinPath(path: string, key: string | number): string {
  return path === "" ? String(key) : `${path}.${key}`;
}

/**
 * Returns the word that is nearest to what the user typed, or `undefined` if no word is close enough. A word is close enough if it
 * is at most two typos away, or one typo if fewer than four letters were typed.
 */
export function findNearestWord(typed: string, words: readonly string[]): string | undefined {
  const maxTypos = Math.min(2, Math.floor(typed.length / 2));
  for (let typos = 1; typos <= maxTypos; typos += 1) {
    const match = words.find((word) => isWithin(typos, typed, word));
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Returns whether at most this many edits turn one text into the other. An edit adds, removes, replaces or swaps letters. */
function isWithin(typos: number, word: string, otherWord: string): boolean {
  let commonLength = 0;
  while (commonLength < word.length && word[commonLength] === otherWord[commonLength]) commonLength += 1;
  const [a, b] = [word.slice(commonLength), otherWord.slice(commonLength)];
  if (a === "" || b === "") return a.length + b.length <= typos;
  if (typos < Math.max(1, Math.abs(a.length - b.length))) return false;
  return (
    isWithin(typos - 1, a.slice(1), b.slice(1)) ||
    isWithin(typos - 1, a.slice(1), b) ||
    isWithin(typos - 1, a, b.slice(1)) ||
    (a[0] === b[1] && a[1] === b[0] && isWithin(typos - 1, a.slice(2), b.slice(2)))
  );
}
