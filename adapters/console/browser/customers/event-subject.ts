import type { EventPage } from "../../../../src/webhooks/events.js";

export type ListedEvent = EventPage["content"][number];

/** IDs of the customer, pass and template that an event is about; `null` for any that the event doesn't name. */
export interface EventSubject {
  readonly userId: string | null;
  readonly passId: string | null;
  readonly templateId: string | null;
}

/** Finds the subject of an event in its data. */
export function parseEventSubject({ data }: Pick<ListedEvent, "data">): EventSubject {
  const fields = new Map<string, unknown>(Object.entries(data));
  const textAt = (name: string) => {
    const value = fields.get(name);
    return typeof value === "string" ? value : null;
  };
  const idOf = (object: string) => (fields.get("object") === object ? textAt("id") : null);
  return {
    userId: textAt("userId") ?? idOf("user"),
    passId: textAt("walletPassId") ?? idOf("wallet_pass"),
    templateId: textAt("templateId") ?? idOf("template"),
  };
}
