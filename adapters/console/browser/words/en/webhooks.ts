import { countText, momentText } from "./forms.js";

/** All words of webhook endpoints. */
export const webhooks = {
  none: "No webhook endpoints",
  noneHint: "Give the https address of a server of yours, and it is told of every stamp, customer and card.",
  fresh: "New endpoint",
  allEvents: "All events",
  enabled: "enabled",
  requested: "disabled",
  gone: "disabled, as it said that it is gone",
  failing: "disabled, as it failed for days",
  wasEnabled: "Enabled",
  wasDisabled: "Disabled",
  test: "Send a test",
  tested: "A test event is on its way",
  enable: "Enable",
  disable: "Disable",
  remove: "Remove",
  removeTitle: "Remove this endpoint?",
  removeVerb: (url: string) => `Remove ${url}`,
  removeHint: "Its deliveries go too, and what is on its way to it is given up. This can’t be undone.",
  wasRemoved: "The endpoint was removed",
  newTitle: "New webhook endpoint",
  add: "Add endpoint",
  url: "URL",
  urlExample: "https://shop.example/hooks",
  types: "Events, or all of them",
  secretTitle: "The secret of the endpoint",
  secretUse: "With it your server tells that events come from here.",
} as const;

/** The deliveries of an endpoint. */
export const deliveries = {
  title: "Deliveries",
  none: "Nothing was sent yet.",
  pending: "pending",
  delivered: "delivered",
  failed: "failed",
  replay: "Replay",
  replayed: "It is sent once more",
  details: "Payload and answers",
  ofTest: "A test sends this endpoint itself as its data.",
  eventGone: "The event is not kept any more.",
  attempts: (count: number) => countText(count, "attempt"),
  took: (milliseconds: number) => `${milliseconds} ms`,
  last: (answer: string) => `last ${answer}`,
  next: (at: string) => `next attempt ${momentText(at)}`,
} as const;

/** The log of events. */
export const eventLog = {
  kind: "Kind of event",
  day: "Day",
  all: "All events",
  pause: "Pause",
  goOn: "Go on",
  asCode: "List as code",
  oneAsCode: "As code",
  reading: "Reading a long log…",
  none: "No events yet",
  noneHint: "What happens from now on appears here.",
  noun: "events",
  /** Before who caused it, and before the token or app that it was done with. */
  by: "by",
  with: "with",
} as const;
