import type { CreateMessage, Message } from "../../../../src/resources/message.js";
import type { MessageChannel } from "../../../../src/resources/subscription.js";
import { timeOf, wallTime } from "../parts/zoned-time.js";
import { filterOf, type Group, groupOf, newGroup } from "../segments/filter-tree.js";

/** A text of a message while it is edited. */
export interface EditedText {
  readonly language: string;
  readonly wallet: string;
  readonly subject: string;
  readonly text: string;
}

export type AudienceKind = "all" | "segment" | "filter" | "userIds";

/** The ways in which the channels of a message go together. */
export type Way = "each" | "wallet" | "email";

/** A message while it is edited. Times are those of the organization's clocks; empty for none. */
export interface EditedMessage {
  readonly name: string;
  /** Empty for no card. */
  readonly templateId: string;
  readonly onWallet: boolean;
  readonly byEmail: boolean;
  /** Both channels, or the first of them that reaches a customer. */
  readonly way: Way;
  readonly texts: readonly EditedText[];
  readonly link: string;
  readonly audience: AudienceKind;
  /** The slug of the segment; empty for none. */
  readonly segment: string;
  readonly tree: Group;
  /** Ids of customers, with anything between them. */
  readonly userIds: string;
  readonly sendAt: string;
  readonly expiresAt: string;
  readonly showUntil: string;
  readonly respectsCap: boolean;
}

export const noText = (language: string): EditedText => ({ language, wallet: "", subject: "", text: "" });

/** A message that says nothing yet. */
export const emptyMessage: EditedMessage = {
  name: "",
  templateId: "",
  onWallet: false,
  byEmail: false,
  way: "each",
  texts: [noText("en")],
  link: "",
  audience: "all",
  segment: "",
  tree: newGroup(),
  userIds: "",
  sendAt: "",
  expiresAt: "",
  showUntil: "",
  respectsCap: true,
};

/** Returns a message to edit. */
export function editedMessage(message: Message, timeZone: string): EditedMessage {
  const { name, templateId, channels, order, texts, link, audience, respectsCap } = message;
  const shown = (at: string | null) => (at === null ? "" : wallTime(timeZone, new Date(at)));
  const filter = "filter" in audience ? groupOf(audience.filter) : null;
  return {
    name,
    templateId: templateId ?? "",
    onWallet: channels.includes("wallet"),
    byEmail: channels.includes("email"),
    way: order === "each" ? "each" : (channels[0] ?? "each"),
    texts: texts.map(({ language, wallet, subject, text }) => ({
      language,
      wallet: wallet ?? "",
      subject: subject ?? "",
      text: text ?? "",
    })),
    link: link ?? "",
    audience: kindOf(audience),
    segment: "segment" in audience ? audience.segment : "",
    tree: filter ?? newGroup(),
    userIds: "userIds" in audience ? audience.userIds.join("\n") : "",
    sendAt: shown(message.sendAt),
    expiresAt: shown(message.expiresAt),
    showUntil: shown(message.showUntil),
    respectsCap,
  };
}

function kindOf(audience: Message["audience"]): AudienceKind {
  if ("all" in audience) return "all";
  if ("segment" in audience) return "segment";
  return "filter" in audience ? "filter" : "userIds";
}

/** Returns a message as it is sent: a blank text is none. */
export function sentMessage(edited: EditedMessage, timeZone: string): CreateMessage {
  const { name, templateId, way, texts, link, respectsCap } = edited;
  const sentTime = (wall: string) => (wall === "" ? null : (timeOf(timeZone, wall)?.toISOString() ?? null));
  return {
    name: name.trim(),
    audience: audienceOf(edited),
    templateId: templateId || null,
    channels: channelsOf(edited),
    order: way === "each" ? "each" : "first_reachable",
    texts: texts.map(({ language, wallet, subject, text }) => ({
      language: language.trim(),
      wallet: wallet.trim() || null,
      subject: subject.trim() || null,
      text: text.trim() === "" ? null : text,
    })),
    link: link.trim() || null,
    sendAt: sentTime(edited.sendAt),
    expiresAt: sentTime(edited.expiresAt),
    showUntil: sentTime(edited.showUntil),
    respectsCap,
  };
}

/** The channels in their order. */
export function channelsOf({ onWallet, byEmail, way }: EditedMessage): MessageChannel[] {
  const first: MessageChannel = way === "email" ? "email" : "wallet";
  const second: MessageChannel = way === "email" ? "wallet" : "email";
  return [first, second].filter((channel) => (channel === "email" ? byEmail : onWallet));
}

function audienceOf({ audience, segment, tree, userIds }: EditedMessage): CreateMessage["audience"] {
  if (audience === "all") return { all: true };
  if (audience === "segment") return { segment };
  // A filter of nothing is refused by the server, which says so.
  if (audience === "filter") return { filter: filterOf(tree) ?? { operator: tree.operator } };
  return { userIds: idsIn(userIds) };
}

/** The ids in a text, each once. */
export function idsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((id) => id !== ""))];
}

/** Returns the same message as a new draft, without its times. */
export function copyOf(message: Message): CreateMessage {
  const { audience, templateId, channels, order, texts, link, respectsCap } = message;
  const name = [...`Copy of ${message.name}`].slice(0, 150).join("");
  return { name, audience, templateId, channels, order, texts, link, respectsCap };
}

/** Returns the parts that the channels of a message need and a text lacks, in words. */
export function missingParts({ wallet, subject, text }: EditedText, channels: readonly MessageChannel[]) {
  const onWallet = channels.includes("wallet") && wallet.trim() === "" ? ["the text on the card"] : [];
  const inMails = [
    [subject, "the subject of the mail"],
    [text, "the text of the mail"],
  ] as const;
  const missing = channels.includes("email") ? inMails.filter(([said]) => said.trim() === "") : [];
  return [...onWallet, ...missing.map(([, words]) => words)];
}
