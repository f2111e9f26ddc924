import type { CreateMessage, Message } from "../../../../../src/messages/schema.js";
import type { MessageChannel } from "../../../../../src/messages/subscription-schema.js";
import { language } from "../words/en/forms.js";
import { texts as words } from "../words/en/message-editor.js";

/** A message's text in one language, as typed in the editor. */
export interface TextDraft {
  readonly language: string;
  readonly wallet: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * How a message uses its selected channels. `each` sends the message on all of them. `wallet` or `email` prefers that channel and
 * uses the other one only for customers whom the preferred channel can't reach.
 */
export type ChannelMode = "each" | "wallet" | "email";

/** A message's content and channels, as typed in the editor. */
export interface ContentDraft {
  /** The ID of the template whose card the message is about, or an empty string if the message isn't about a card. */
  readonly templateId: string;
  readonly onWallet: boolean;
  readonly byEmail: boolean;
  readonly mode: ChannelMode;
  readonly texts: readonly TextDraft[];
  readonly link: string;
  readonly respectsCap: boolean;
}

export const createEmptyText = (language: string): TextDraft => ({
  language,
  wallet: "",
  subject: "",
  text: "",
});

/** A new message's initial content. */
export const emptyContent: ContentDraft = {
  templateId: "",
  onWallet: false,
  byEmail: false,
  mode: "each",
  texts: [createEmptyText(language)],
  link: "",
  respectsCap: true,
};

type Content = Pick<Message, "templateId" | "channels" | "order" | "texts" | "link" | "respectsCap">;

export function toContentDraft(content: Content): ContentDraft {
  const { templateId, channels, order, texts, link, respectsCap } = content;
  return {
    templateId: templateId ?? "",
    onWallet: channels.includes("wallet"),
    byEmail: channels.includes("email"),
    mode: order === "each" ? "each" : (channels[0] ?? "each"),
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

/** Converts a draft to the content that the API expects. Blank strings become `null`. */
export function fromContentDraft(draft: ContentDraft): Pick<CreateMessage, keyof Content> {
  const { templateId, mode, texts, link, respectsCap } = draft;
  return {
    templateId: templateId || null,
    channels: listChannels(draft),
    order: mode === "each" ? "each" : "first_reachable",
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

/** Returns the selected channels, with the preferred channel first. */
export function listChannels({
  onWallet,
  byEmail,
  mode,
}: Pick<ContentDraft, "onWallet" | "byEmail" | "mode">): MessageChannel[] {
  const first: MessageChannel = mode === "email" ? "email" : "wallet";
  const second: MessageChannel = mode === "email" ? "wallet" : "email";
  return [first, second].filter((channel) => (channel === "email" ? byEmail : onWallet));
}

/** Returns the labels of the text fields that are blank but required by the given channels. */
export function findMissingTexts({ wallet, subject, text }: TextDraft, channels: readonly MessageChannel[]) {
  const missingOnCard = channels.includes("wallet") && wallet.trim() === "" ? [words.missingOnCard] : [];
  const mailFields = [
    [subject, words.missingSubject],
    [text, words.missingText],
  ] as const;
  const missingInMail = channels.includes("email") ? mailFields.filter(([value]) => value.trim() === "") : [];
  return [...missingOnCard, ...missingInMail.map(([, label]) => label)];
}
