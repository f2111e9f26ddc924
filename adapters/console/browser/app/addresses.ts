/** The screens by their addresses below the console: the server answers them, and the browser loads their code. */
const addresses = {
  overview: /^\/$/,
  customers: /^\/customers$/,
  customer: /^\/customers\/[^/]+$/,
  tags: /^\/tags$/,
  segments: /^\/segments$/,
  newSegment: /^\/segments-new$/,
  segment: /^\/segments\/[^/]+$/,
  editSegment: /^\/segments\/[^/]+\/edit$/,
  messages: /^\/messages$/,
  message: /^\/messages\/[^/]+$/,
  automations: /^\/automations$/,
  editAutomation: /^\/automations\/(new|[^/]+\/edit)$/,
  automation: /^\/automations\/[^/]+$/,
  cards: /^\/cards$/,
  poster: /^\/cards\/[^/]+\/poster$/,
  design: /^\/cards\/[^/]+\/design$/,
  till: /^\/till$/,
  settings: /^\/settings(\/[a-z-]+)?$/,
  developers: /^\/developers(\/\w+)?$/,
};

export type ScreenName = keyof typeof addresses;

const isName = (name: string): name is ScreenName => Object.hasOwn(addresses, name);

/** Returns the name of the screen at a path below the console, such as `/customers/usr_1`; `null` if there is none. */
export function screenAt(path: string): ScreenName | null {
  return (
    Object.keys(addresses)
      .filter(isName)
      .find((name) => addresses[name].test(path)) ?? null
  );
}
