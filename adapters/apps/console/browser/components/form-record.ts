import { parts as words } from "../words/en/parts.js";

/**
 * Works like `Object.fromEntries`, but the result can be assigned to any type. The compiler doesn't check that the entries fit that
 * type, so use this function only where you know that they do.
 */
export function fromEntries(
  entries: readonly (readonly [name: string, value: unknown])[],
): ReturnType<typeof JSON.parse> {
  return Object.fromEntries(entries);
}

/**
 * Returns the error message for a field. If one of the field's items is invalid, returns the message for the first invalid item,
 * preceded by the item's number or name. Returns `undefined` if there is no error.
 */
export function findFieldMessage(name: string, fields: Readonly<Record<string, string>>): string | undefined {
  const [path, message] =
    Object.entries(fields).find(([each]) => each === name || each.startsWith(`${name}.`)) ?? [];
  const [, item] = path?.split(".") ?? [];
  if (item === undefined) return message;
  return `${/^\d+$/.test(item) ? words.numbered(Number(item) + 1) : item} ${message}`;
}
