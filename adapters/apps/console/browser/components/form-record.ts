import { parts as words } from "../words/en/parts.js";

/**
 * Works like `Object.fromEntries`, but the result can be assigned to any type. Use it only where the names are known to match the
 * values, because the compiler can't check this.
 */
export function fromEntries(
  entries: readonly (readonly [name: string, value: unknown])[],
): ReturnType<typeof JSON.parse> {
  return Object.fromEntries(entries);
}

/**
 * Returns the error message for a field. If an item of the field is invalid, returns the first such item's message, preceded by the
 * item's number or name. Returns `undefined` if there is no error.
 */
export function messageAt(name: string, fields: Readonly<Record<string, string>>): string | undefined {
  const [place, message] =
    Object.entries(fields).find(([each]) => each === name || each.startsWith(`${name}.`)) ?? [];
  const [, item] = place?.split(".") ?? [];
  if (item === undefined) return message;
  return `${/^\d+$/.test(item) ? words.numbered(Number(item) + 1) : item} ${message}`;
}
