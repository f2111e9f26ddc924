/** The value of a condition's key. */
export type Body = Readonly<Record<string, unknown>>;

type Values = Readonly<Record<string, string>>;

const shownText = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** The values at some keys as texts; empty where there is none. */
export const texts = (body: Body, ...keys: readonly string[]): Values =>
  Object.fromEntries(keys.map((key) => [key, shownText(body[key])]));

/** Which of some ways to say a thing is there; those that hold a number of days give that too. */
export function readWay(body: Body, ...ways: readonly string[]): Values {
  const way = ways.find((each) => body[each] !== undefined) ?? "";
  return { way, days: way.endsWith("Days") ? shownText(body[way]) : "" };
}

/** The days of a condition, by the way in which they are meant. */
export const days = ({ way, days: typed }: Values) =>
  way === "withinDays" ? { withinDays: Number(typed) } : { beforeDays: Number(typed) };

/** The card of a condition, when it is about one alone. */
export const onCard = ({ templateId = "" }: Values) => (templateId === "" ? {} : { templateId });

/** Reads bounds. @param least the `min` that is written where there is none to say. */
export function readBounds({ min, max }: Body, least?: number): Values {
  const both = { min: shownText(min), max: shownText(max) };
  if (min === undefined && max === undefined) return { ...both, way: "any" };
  if (max === undefined) return { ...both, way: "min" };
  if (min === undefined || (least !== undefined && min === least)) return { ...both, min: "", way: "max" };
  return { ...both, way: min === max ? "exact" : "between" };
}

/** Returns the bounds. @param least the `min` that is written for an upper bound alone. */
export function bounds(values: Values, least?: number) {
  return values.way === "any" ? {} : requiredBounds(values, least);
}

/** Returns {@link bounds} of values that have at least one. */
export function requiredBounds({ way, min, max }: Values, least?: number) {
  if (way === "min") return { min: Number(min) };
  if (way === "max") return { ...(least !== undefined && { min: least }), max: Number(max) };
  return { min: Number(min), max: Number(way === "exact" ? min : max) };
}

/** Returns keys as one text, with dots between them; a dot of a key has a backslash before it. */
export function textOfKeys(keys: unknown): string {
  if (!Array.isArray(keys)) return "";
  return keys.map((key) => String(key).replace(/[\\.]/g, "\\$&")).join(".");
}

/** Returns the keys in such a text. */
export function keysIn(text: string): string[] {
  const keys = text.match(/(?:\\.|[^.\\])+/gsu) ?? [];
  return keys.map((key) => key.replace(/\\(.)/gsu, "$1"));
}

/** Returns whether two values are the same JSON, whatever the order of their keys. */
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
