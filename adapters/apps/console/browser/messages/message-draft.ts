import type { CreateMessage, Message } from "../../../../../src/messages/schema.js";
import { parseWallTime, toWallTime } from "../components/zoned-time.js";
import { buildFilter, createGroup, type Group, parseGroup } from "../segments/filter-tree.js";
import { composer as words } from "../words/en/message-editor.js";
import {
  type ContentDraft,
  emptyContent,
  fromContentDraft,
  type TextDraft,
  toContentDraft,
} from "./content-draft.js";

const MAX_NAME_LENGTH = 150;

export type AudienceKind = "all" | "segment" | "filter" | "userIds";

/** A message in the editor. Times are in the organization's time zone, and a time that isn't set is an empty string. */
export interface MessageDraft extends ContentDraft {
  /** The name as typed, or an empty string if the message is named after its text. */
  readonly name: string;
  readonly audience: AudienceKind;
  /** The segment's slug, or an empty string if no segment is selected. */
  readonly segment: string;
  readonly tree: Group;
  /** Customer IDs separated by spaces, line breaks, commas, or semicolons. */
  readonly userIds: string;
  readonly sendAt: string;
  readonly expiresAt: string;
  readonly showUntil: string;
}

/** A new message's initial draft, which is addressed to all customers and has no content or times. */
export const emptyMessage: MessageDraft = {
  ...emptyContent,
  name: "",
  audience: "all",
  segment: "",
  tree: createGroup(),
  userIds: "",
  sendAt: "",
  expiresAt: "",
  showUntil: "",
};

/** Converts a message from the API to a draft, with its times in the given time zone. */
export function toMessageDraft(message: Message, timeZone: string): MessageDraft {
  const { name, audience } = message;
  const formatTime = (at: string | null) => (at === null ? "" : toWallTime(timeZone, new Date(at)));
  const filter = "filter" in audience ? parseGroup(audience.filter) : null;
  const content = toContentDraft(message);
  return {
    ...content,
    name: name === pickDefaultName(content.texts) ? "" : name,
    audience: findAudienceKind(audience),
    segment: "segment" in audience ? audience.segment : "",
    tree: filter ?? createGroup(),
    userIds: "userIds" in audience ? audience.userIds.join("\n") : "",
    sendAt: formatTime(message.sendAt),
    expiresAt: formatTime(message.expiresAt),
    showUntil: formatTime(message.showUntil),
  };
}

/** Returns the name of a message whose name field is blank: its first subject or text on the card, shortened if necessary. */
export function pickDefaultName(texts: readonly TextDraft[]): string {
  const lines = texts.flatMap(({ subject, wallet }) => [subject.trim(), wallet.trim()]);
  const line = lines.find((each) => each !== "") ?? words.fresh;
  return [...line].slice(0, MAX_NAME_LENGTH).join("");
}

function findAudienceKind(audience: Message["audience"]): AudienceKind {
  if ("all" in audience) return "all";
  if ("segment" in audience) return "segment";
  return "filter" in audience ? "filter" : "userIds";
}

/**
 * Converts a draft to the message that the API expects. The draft's times are in the given time zone. Blank strings become `null`.
 */
export function fromMessageDraft(draft: MessageDraft, timeZone: string): CreateMessage {
  const parseTime = (text: string) =>
    text === "" ? null : (parseWallTime(timeZone, text)?.toISOString() ?? null);
  return {
    ...fromContentDraft(draft),
    name: draft.name.trim() || pickDefaultName(draft.texts),
    audience: buildAudience(draft),
    sendAt: parseTime(draft.sendAt),
    expiresAt: parseTime(draft.expiresAt),
    showUntil: parseTime(draft.showUntil),
  };
}

function buildAudience({ audience, segment, tree, userIds }: MessageDraft): CreateMessage["audience"] {
  if (audience === "all") return { all: true };
  if (audience === "segment") return { segment };
  // The server refuses an empty filter with an error message.
  if (audience === "filter") return { filter: buildFilter(tree) ?? { operator: tree.operator } };
  return { userIds: parseIds(userIds) };
}

/** Splits text into customer IDs and removes duplicates. IDs can be separated by whitespace, commas, or semicolons. */
export function parseIds(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((id) => id !== ""))];
}
