/**
 * Path patterns of all screens, relative to the console. The server responds to these paths, and the browser loads the screen's
 * code.
 */
const screenPaths = [
  ["overview", ""],
  ["customers", "customers"],
  ["customer", "customers/[^/]+"],
  ["tags", "tags"],
  ["purchases", "purchases"],
  ["purchase", "purchases/[^/]+/[^/]+"],
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

export type ScreenName = (typeof screenPaths)[number][0];

/**
 * Returns the name of the screen at a path, or `null` if there is no such screen.
 * @param path the path relative to the console, such as `/customers/usr_1`.
 */
export function findScreenName(path: string): ScreenName | null {
  return screenPaths.find(([, pattern]) => new RegExp(`^/${pattern}$`).test(path))?.[0] ?? null;
}
