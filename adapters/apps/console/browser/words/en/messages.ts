import type { Message } from "../../../../../../src/messages/schema.js";
import { countText, momentText, numberText } from "./forms.js";

type Status = Message["status"];

/** UI text for the list of messages and its filters. */
export const messages = {
  title: "Messages",
  fresh: "New message",
  toShow: "Filter messages",
  noun: "messages",
  none: "No messages yet",
  noneHint: "Send customers news by email and on their wallet cards.",
  noneSuch: "No matching messages",
  beginsSoon: "starts soon",
  begins: (at: string) => `starts ${momentText(at)}`,
  changed: (at: string) => `edited ${momentText(at)}`,
} as const;

export const statuses: Readonly<Record<Status, string>> = {
  DRAFT: "draft",
  SCHEDULED: "scheduled",
  SENDING: "being sent",
  SENT: "sent",
  CANCELED: "canceled",
  EXPIRED: "not sent in time",
};

export const statusFilters = [
  ["", "All messages"],
  ["DRAFT", "Drafts"],
  ["SCHEDULED", "Scheduled"],
  ["SENDING", "Being sent"],
  ["SENT", "Sent"],
  ["CANCELED", "Canceled"],
  ["EXPIRED", "Expired before it was sent"],
] as const;

/** UI text for a message's delivery counts by status, as shown in the message list. */
export const sums = {
  sent: (count: number, total: number, areCounts: "customers" | "deliveries") =>
    areCounts === "customers"
      ? `${numberText(count)} of ${countText(total, "customer")} reached`
      : `${numberText(count)} of ${numberText(total)} cards and emails sent`,
  failed: (count: number) => `${numberText(count)} failed`,
  notSent: (count: number) => `${numberText(count)} not sent`,
  toGo: (count: number) => `${numberText(count)} remaining`,
} as const;
