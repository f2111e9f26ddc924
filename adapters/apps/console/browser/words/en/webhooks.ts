import { countText, momentText } from "./forms.js";

/** UI text for the list of webhook endpoints and for the dialogs that add, test, and remove them. */
export const webhooks = {
  none: "No webhook endpoints",
  noneHint:
    "Add your server’s https URL, and it will receive an event for every change to customers, cards, and stamps.",
  fresh: "New endpoint",
  allEvents: "All events",
  enabled: "enabled",
  requested: "disabled",
  gone: "disabled because it responded with 410 Gone",
  failing: "disabled because it failed for days",
  wasEnabled: "Enabled",
  wasDisabled: "Disabled",
  test: "Send a test",
  tested: "A test event is on its way",
  enable: "Enable",
  disable: "Disable",
  remove: "Remove",
  removeTitle: "Remove this endpoint?",
  removeVerb: (url: string) => `Remove ${url}`,
  removeHint: "This also deletes its deliveries and cancels any that are pending. This can’t be undone.",
  wasRemoved: "The endpoint was removed",
  newTitle: "New webhook endpoint",
  add: "Add endpoint",
  url: "URL",
  urlExample: "https://shop.example/hooks",
  types: "Event types (select none for all)",
  secretTitle: "Signing secret",
  secretUse: "Your server uses it to verify that events come from here.",
} as const;

/** UI text for the list of a webhook endpoint's deliveries and their attempts. */
export const deliveries = {
  title: "Deliveries",
  none: "Nothing has been sent yet.",
  pending: "pending",
  delivered: "delivered",
  failed: "failed",
  replay: "Replay",
  replayed: "Replayed",
  details: "Payload and responses",
  ofTest: "A test event’s data describes this endpoint.",
  eventGone: "The event is no longer stored.",
  attempts: (count: number) => countText(count, "attempt"),
  took: (milliseconds: number) => `${milliseconds} ms`,
  last: (answer: string) => `last response: ${answer}`,
  next: (at: string) => `next attempt ${momentText(at)}`,
} as const;

export const eventLog = {
  kind: "Event type",
  day: "Day",
  all: "All events",
  pause: "Pause",
  goOn: "Resume",
  asCode: "View list as code",
  oneAsCode: "View as code",
  reading: "Searching the log…",
  none: "No events yet",
  noneHint: "New events appear here.",
  noun: "events",
  /** Shown before the person who caused the event. `with` is shown before the token or app that they used. */
  by: "by",
  with: "with",
} as const;
