import { parts as words } from "../words/en/parts.js";

/**
 * Like `Object.fromEntries`, but returns `any`. The compiler doesn't check the entries against the target type, so use this
 * function only where they are known to fit.
 */
export function fromEntries(
  entries: readonly (readonly [name: string, value: unknown])[],
): ReturnType<typeof JSON.parse> {
  return Object.fromEntries(entries);
}

/**
 * Returns the error message for a field, or `undefined` if there is no error. If one of the field's items is invalid, returns the
 * first invalid item's message, prefixed with the item's number or name.
 */
export function findFieldMessage(name: string, fields: Readonly<Record<string, string>>): string | undefined {
  const [path, message] =
    Object.entries(fields).find(([each]) => each === name || each.startsWith(`${name}.`)) ?? [];
  const [, item] = path?.split(".") ?? [];
  if (item === undefined) return message;
  return `${/^\d+$/.test(item) ? words.numbered(Number(item) + 1) : item} ${message}`;
}
