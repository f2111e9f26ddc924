/** The value under a condition's key in the API, such as the object under `stamps`. */
export type Body = Readonly<Record<string, unknown>>;

type Values = Readonly<Record<string, string>>;

const toText = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** Returns the values at the given keys as strings. Missing values become empty strings. */
export const texts = (body: Body, ...keys: readonly string[]): Values =>
  Object.fromEntries(keys.map((key) => [key, toText(body[key])]));

/**
 * Finds the first of the given keys in the condition and returns that key as `way`. If the key ends in `Days`, also returns its
 * value as `days`.
 */
export function readWay(body: Body, ...ways: readonly string[]): Values {
  const way = ways.find((each) => body[each] !== undefined) ?? "";
  return { way, days: way.endsWith("Days") ? toText(body[way]) : "" };
}

/** Returns an object with the entered day count under the API's key for the chosen comparison, `withinDays` or `beforeDays`. */
export const days = ({ way, days: input }: Values) =>
  way === "withinDays" ? { withinDays: Number(input) } : { beforeDays: Number(input) };

/**
 * Returns an object with the chosen `templateId`, or an empty object if no card was chosen and the condition applies to every card.
 */
export const onCard = ({ templateId = "" }: Values) => (templateId === "" ? {} : { templateId });

/**
 * Converts a lower and an upper bound from the API to control values.
 * @param minimum the value of `min` that means "no lower bound", for conditions whose `min` is required.
 */
export function readBounds({ min, max }: Body, minimum?: number): Values {
  const both = { min: toText(min), max: toText(max) };
  if (min === undefined && max === undefined) return { ...both, way: "any" };
  if (max === undefined) return { ...both, way: "min" };
  if (min === undefined || (minimum !== undefined && min === minimum))
    return { ...both, min: "", way: "max" };
  return { ...both, way: min === max ? "exact" : "between" };
}

/**
 * Converts control values to bounds for the API. Returns an empty object if the user chose "any number".
 * @param minimum the `min` to send if the user entered only an upper bound.
 */
export function bounds(values: Values, minimum?: number) {
  return values.way === "any" ? {} : requiredBounds(values, minimum);
}

/** Like {@link bounds}, converts control values to bounds, for conditions that don't offer "any number". */
export function requiredBounds({ way, min, max }: Values, minimum?: number) {
  if (way === "min") return { min: Number(min) };
  if (way === "max") return { ...(minimum !== undefined && { min: minimum }), max: Number(max) };
  return { min: Number(min), max: Number(way === "exact" ? min : max) };
}

/** Joins an array of keys into a dotted path. Dots and backslashes within keys are escaped with a backslash. */
export function formatKeys(keys: unknown): string {
  if (!Array.isArray(keys)) return "";
  return keys.map((key) => String(key).replace(/[\\.]/g, "\\$&")).join(".");
}

/** Splits a dotted path from {@link formatKeys} back into keys. */
export function parseKeys(text: string): string[] {
  const keys = text.match(/(?:\\.|[^.\\])+/gsu) ?? [];
  return keys.map((key) => key.replace(/\\(.)/gsu, "$1"));
}

/** Returns whether two values are equal as JSON, regardless of the order of object keys. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return Object.is(one, other);
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) => Object.hasOwn(other, key) && isSameJson(Reflect.get(one, key), Reflect.get(other, key)),
    )
  );
}
