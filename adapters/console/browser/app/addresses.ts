/**
 * The screens by their addresses below the console, as patterns: the server answers them, and the browser loads their code.
 */
const addresses = [
  ["overview", ""],
  ["customers", "customers"],
  ["customer", "customers/[^/]+"],
  ["tags", "tags"],
  ["segments", "segments"],
  ["newSegment", "segments-new"],
  ["segment", "segments/[^/]+"],
  ["editSegment", "segments/[^/]+/edit"],
  ["messages", "messages"],
  ["message", "messages/[^/]+"],
  ["automations", "automations"],
  ["editAutomation", "automations/(new|[^/]+/edit)"],
  ["automation", "automations/[^/]+"],
  ["cards", "cards"],
  ["poster", "cards/[^/]+/poster"],
  ["design", "cards/[^/]+/design"],
  ["till", "till"],
  ["settings", "settings(/[a-z-]+)?"],
  ["developers", "developers(/[a-z]+)?"],
] as const;

export type ScreenName = (typeof addresses)[number][0];

/** Returns the name of the screen at a path below the console, such as `/customers/usr_1`; `null` if there is none. */
export function screenAt(path: string): ScreenName | null {
  return addresses.find(([, address]) => new RegExp(`^/${address}$`).test(path))?.[0] ?? null;
}
