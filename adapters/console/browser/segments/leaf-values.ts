/** The value under a condition's key. */
export type Body = Readonly<Record<string, unknown>>;

type Values = Readonly<Record<string, string>>;

const shownText = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** Returns the values at the given keys as strings; missing values are empty strings. */
export const texts = (body: Body, ...keys: readonly string[]): Values =>
  Object.fromEntries(keys.map((key) => [key, shownText(body[key])]));

/** Returns which of the alternative keys is present. For keys that end in `Days`, also returns the number of days. */
export function readWay(body: Body, ...ways: readonly string[]): Values {
  const way = ways.find((each) => body[each] !== undefined) ?? "";
  return { way, days: way.endsWith("Days") ? shownText(body[way]) : "" };
}

/** Returns the condition's days under the key for the chosen way. */
export const days = ({ way, days: typed }: Values) =>
  way === "withinDays" ? { withinDays: Number(typed) } : { beforeDays: Number(typed) };

/** Returns the condition's card, if it applies to one card only. */
export const onCard = ({ templateId = "" }: Values) => (templateId === "" ? {} : { templateId });

/**
 * Reads bounds.
 * @param least the `min` that stands for no lower bound.
 */
export function readBounds({ min, max }: Body, least?: number): Values {
  const both = { min: shownText(min), max: shownText(max) };
  if (min === undefined && max === undefined) return { ...both, way: "any" };
  if (max === undefined) return { ...both, way: "min" };
  if (min === undefined || (least !== undefined && min === least)) return { ...both, min: "", way: "max" };
  return { ...both, way: min === max ? "exact" : "between" };
}

/**
 * Returns the bounds, or nothing if any number matches.
 * @param least the `min` to write if there is only an upper bound.
 */
export function bounds(values: Values, least?: number) {
  return values.way === "any" ? {} : requiredBounds(values, least);
}

/** Returns {@link bounds} for values that have at least one bound. */
export function requiredBounds({ way, min, max }: Values, least?: number) {
  if (way === "min") return { min: Number(min) };
  if (way === "max") return { ...(least !== undefined && { min: least }), max: Number(max) };
  return { min: Number(min), max: Number(way === "exact" ? min : max) };
}

/** Joins keys with dots. A dot or backslash within a key is escaped with a backslash. */
export function textOfKeys(keys: unknown): string {
  if (!Array.isArray(keys)) return "";
  return keys.map((key) => String(key).replace(/[\\.]/g, "\\$&")).join(".");
}

/** Splits text from {@link textOfKeys} into keys. */
export function keysIn(text: string): string[] {
  const keys = text.match(/(?:\\.|[^.\\])+/gsu) ?? [];
  return keys.map((key) => key.replace(/\\(.)/gsu, "$1"));
}

/** Returns whether two values are equal as JSON, ignoring the order of keys. */
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
