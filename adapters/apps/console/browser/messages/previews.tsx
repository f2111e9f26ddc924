import { fillPlaceholders, type PlaceholderValues } from "../../../../../src/base/values/placeholders.js";
import type { Template } from "../../../../../src/cards/schema.js";
import type { MessageChannel } from "../../../../../src/messages/subscription-schema.js";
import type { LinkedPart } from "../../../../delivery/mail/linked-parts.js";
import { describeCard } from "../../../../delivery/wallets/card-texts.js";
import { CallError } from "../api/call-error.js";
import { useLoad } from "../components/load.js";
import { usePictureUrl } from "../components/use-picture-url.js";
import { preview as words } from "../words/en/message-editor.js";
import type { TextDraft } from "./content-draft.js";
import type { MessageSetup } from "./message-setup.js";

/** Default colors for emails, and for cards that have no design. */
const plainColors = { backgroundColor: "#3730a3", foregroundColor: "#ffffff" };

const EXAMPLE_POINTS = 120;

/** Reserves space for text that is still loading. */
const NON_BREAKING_SPACE = "\u00a0";

interface PreviewsProps {
  readonly text: TextDraft;
  readonly channels: readonly MessageChannel[];
  /** The card that the message is about, or `null` if it isn't about a card. */
  readonly template: Template | null;
  readonly link: string;
  readonly setup: Pick<MessageSetup, "rules" | "sender" | "shopLanguage" | "shopLogo">;
}

/**
 * Previews a message as customers see it: on the lock screen, on a card in Google Wallet, and as an email. Shows only the selected
 * channels.
 */
export function Previews({ text, channels, template, link, setup }: PreviewsProps) {
  const example = buildExample(template);
  const maxStamps = template?.maxStamps ?? null;
  return (
    <section class="stack tight" aria-label={words.label}>
      <h2>{words.title}</h2>
      <p class="hint">
        {maxStamps === null ? words.hint : words.hintOfCard(countHalfOfStamps(maxStamps), maxStamps)}
      </p>
      {channels.length === 0 && <p class="note">{words.noWay}</p>}
      <div class="wallet-previews" lang={text.language}>
        {channels.includes("wallet") && (
          <CardMessagePreview
            text={fillPlaceholders(text.wallet, example, text.language)}
            language={text.language}
            template={template}
          />
        )}
        {channels.includes("email") && (
          <MailPreview
            subject={fillPlaceholders(text.subject, example, text.language)}
            text={fillPlaceholders(text.text, example, text.language)}
            languages={[text.language, template?.design?.texts[0]?.language, setup.shopLanguage]}
            button={link.trim() !== "" ? "followLink" : template === null ? null : "open"}
            template={template}
            sender={setup.sender}
            footer={setup.rules.footer}
            shopLogo={setup.shopLogo}
          />
        )}
      </div>
    </section>
  );
}

const countHalfOfStamps = (maxStamps: number) => Math.ceil(maxStamps / 2);

/** Returns example values for a card that is half full, or has some points. */
function buildExample(template: Template | null): PlaceholderValues {
  const total = template?.maxStamps ?? 0;
  const stamps = countHalfOfStamps(total);
  const points = template?.points ? EXAMPLE_POINTS : 0;
  return { name: "Anna", card: template?.name ?? null, stamps, toGo: total - stamps, rewards: 0, points };
}

interface CardMessagePreviewProps {
  readonly text: string;
  readonly language: string;
  readonly template: Template | null;
}

function CardMessagePreview({ text, language, template }: CardMessagePreviewProps) {
  const logo = usePictureUrl(template?.design?.icon ?? template?.design?.logo ?? null);
  const look = template?.design ?? plainColors;
  const title = findTitle(template, language);
  const colors = { "--card-ground": look.backgroundColor, "--card-ink": look.foregroundColor };
  const content = text.trim() === "" ? <span class="quiet">{words.noText}</span> : text;
  return (
    <>
      <section class="lock-screen" aria-label={words.onIphone}>
        <p class="clock" aria-hidden="true">
          9:41
        </p>
        <div class="notification">
          <span class="app-icon" style={colors} aria-hidden="true">
            {logo !== null && <img src={logo} alt="" />}
          </span>
          <div>
            <p class="row spread">
              <strong dir="auto">{title}</strong> <small>{words.now}</small>
            </p>
            <p dir="auto">{content}</p>
          </div>
        </div>
      </section>
      <section class="wallet-card google" aria-label={words.inGoogle} style={colors}>
        <header>
          {logo !== null && <img src={logo} alt="" />}
          <strong dir="auto">{title}</strong>
        </header>
        <div class="card-message">
          <strong dir="auto">{title}</strong>
          <p dir="auto">{content}</p>
        </div>
        <p class="card-note">{words.googleNote}</p>
      </section>
    </>
  );
}

/** Returns a card's title in a language, or in the card's first language if it has no such texts. */
function findTitle(template: Template | null, language: string): string {
  if (template === null) return "";
  const textsByLanguage = describeCard(template, null);
  return (textsByLanguage.find((texts) => texts.language === language) ?? textsByLanguage[0]).words.title;
}

/**
 * Loads the fixed text of emails and the code that finds links in them.
 * @throws {CallError} if the server can't be reached.
 */
async function loadMailTexts(languages: readonly (string | null | undefined)[]) {
  const [{ pickMailLanguage }, { splitLinkedParts }] = await Promise.all([
    import("../../../../delivery/mail/languages/mail-language.js"),
    import("../../../../delivery/mail/linked-parts.js"),
  ]).catch(() => {
    throw new CallError(0, null);
  });
  return { ...pickMailLanguage(languages), linkedParts: splitLinkedParts };
}

interface MailPreviewProps {
  readonly subject: string;
  readonly text: string;
  /** The languages for the email's fixed text, most preferred first. */
  readonly languages: readonly (string | null | undefined)[];
  /** Which text the button shows, or `null` if the email has no button. */
  readonly button: "open" | "followLink" | null;
  readonly template: Template | null;
  /** The name that the email comes from, which is also its headline. If it is `null`, the headline is the subject. */
  readonly sender: string | null;
  readonly footer: string | null;
  /** The shop's logo, for emails about a card without its own, or `null` if it isn't set. */
  readonly shopLogo: string | null;
}

function MailPreview(props: MailPreviewProps) {
  const { subject, text, languages, button, template, sender, footer, shopLogo } = props;
  const mailTexts = useLoad(languages.join(" "), () => loadMailTexts(languages)).value;
  const logo = usePictureUrl(template?.design?.logo ?? shopLogo);
  const { backgroundColor, foregroundColor } = template?.design ?? plainColors;
  const colors = { "--card-ground": backgroundColor, "--card-ink": foregroundColor };
  const headline = sender ?? subject.trim();
  return (
    <section class="mail-preview" aria-label={words.asMail} style={colors}>
      <header>
        <p class="quiet">
          {words.from} <bdi>{sender ?? words.anySender}</bdi>
        </p>
        <p>
          <strong dir="auto">{subject.trim() === "" ? words.noSubject : subject}</strong>
        </p>
      </header>
      <div class="mail-page">
        {(headline !== "" || logo !== null) && (
          <div class="mail-panel">
            {logo !== null && <img src={logo} alt="" />}
            <strong dir="auto">{headline}</strong>
          </div>
        )}
        <p class="mail-text" dir="auto">
          {text.trim() === "" ? (
            <span class="quiet">{words.noText}</span>
          ) : (
            markLinks(text, mailTexts?.linkedParts)
          )}
        </p>
        {button !== null && <p class="mail-button">{mailTexts?.mail[button] ?? NON_BREAKING_SPACE}</p>}
        {footer !== null && (
          <p class="mail-text quiet" dir="auto">
            {footer}
          </p>
        )}
        <p class="quiet">
          {mailTexts?.mail.whyNews ?? NON_BREAKING_SPACE} <u>{mailTexts?.texts.unsubscribe}</u>
        </p>
      </div>
    </section>
  );
}

/** Marks the links in the text like an email does, once the code for that is loaded. The links can't be followed here. */
function markLinks(text: string, splitLinks?: (text: string) => readonly LinkedPart[]) {
  return (
    splitLinks?.(text).map((part, index) =>
      part.target === null ? part.text : <u key={index}>{part.text}</u>,
    ) ?? text
  );
}
