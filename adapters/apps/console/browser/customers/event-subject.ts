import type { EventPage } from "../../../../../src/webhooks/events.js";

export type ListedEvent = EventPage["content"][number];

/** The IDs of the customer, pass, and template that an event is about. An ID is `null` if the event doesn't contain it. */
export interface EventSubject {
  readonly userId: string | null;
  readonly passId: string | null;
  readonly templateId: string | null;
}

export function parseEventSubject({ data }: Pick<ListedEvent, "data">): EventSubject {
  const fields = new Map<string, unknown>(Object.entries("pointCard" in data ? data.pointCard : data));
  const readText = (name: string) => {
    const value = fields.get(name);
    return typeof value === "string" ? value : null;
  };
  const readObjectId = (object: string) => (fields.get("object") === object ? readText("id") : null);
  return {
    userId: readText("userId") ?? readObjectId("user"),
    passId: readText("walletPassId") ?? readObjectId("wallet_pass"),
    templateId: readText("templateId") ?? readObjectId("template"),
  };
}
