import type { CreateMessage, Message } from "../../../../src/resources/message.js";
import type { MessageChannel } from "../../../../src/resources/subscription.js";
import { language } from "../words/en/forms.js";
import { texts as words } from "../words/en/message-editor.js";

/** A text of a message while it is edited. */
export interface TextDraft {
  readonly language: string;
  readonly wallet: string;
  readonly subject: string;
  readonly text: string;
}

/** The ways in which the channels of a message go together. */
export type ChannelMode = "each" | "wallet" | "email";

/** The content and channels of a message while it is edited. */
export interface ContentDraft {
  /** Empty for no card. */
  readonly templateId: string;
  readonly onWallet: boolean;
  readonly byEmail: boolean;
  /** Both channels, or the first of them that reaches a customer. */
  readonly way: ChannelMode;
  readonly texts: readonly TextDraft[];
  readonly link: string;
  readonly respectsCap: boolean;
}

export const noText = (language: string): TextDraft => ({ language, wallet: "", subject: "", text: "" });

/** A content that says nothing yet. */
export const emptyContent: ContentDraft = {
  templateId: "",
  onWallet: false,
  byEmail: false,
  way: "each",
  texts: [noText(language)],
  link: "",
  respectsCap: true,
};

type Content = Pick<Message, "templateId" | "channels" | "order" | "texts" | "link" | "respectsCap">;

/** Returns a content to edit. */
export function toContentDraft(content: Content): ContentDraft {
  const { templateId, channels, order, texts, link, respectsCap } = content;
  return {
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
    respectsCap,
  };
}

/** Returns a content as it is sent: a blank text is none. */
export function fromContentDraft(edited: ContentDraft): Pick<CreateMessage, keyof Content> {
  const { templateId, way, texts, link, respectsCap } = edited;
  return {
    templateId: templateId || null,
    channels: listChannels(edited),
    order: way === "each" ? "each" : "first_reachable",
    texts: texts.map(({ language, wallet, subject, text }) => ({
      language: language.trim(),
      wallet: wallet.trim() || null,
      subject: subject.trim() || null,
      text: text.trim() === "" ? null : text,
    })),
    link: link.trim() || null,
    respectsCap,
  };
}

/** The channels in their order. */
export function listChannels({
  onWallet,
  byEmail,
  way,
}: Pick<ContentDraft, "onWallet" | "byEmail" | "way">): MessageChannel[] {
  const first: MessageChannel = way === "email" ? "email" : "wallet";
  const second: MessageChannel = way === "email" ? "wallet" : "email";
  return [first, second].filter((channel) => (channel === "email" ? byEmail : onWallet));
}

/** Returns the parts that the channels of a message need and a text lacks, in words. */
export function findMissingTexts({ wallet, subject, text }: TextDraft, channels: readonly MessageChannel[]) {
  const onWallet = channels.includes("wallet") && wallet.trim() === "" ? [words.missingOnCard] : [];
  const inMails = [
    [subject, words.missingSubject],
    [text, words.missingText],
  ] as const;
  const missing = channels.includes("email") ? inMails.filter(([said]) => said.trim() === "") : [];
  return [...onWallet, ...missing.map(([, part]) => part)];
}
