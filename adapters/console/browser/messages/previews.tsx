import type { MessageSettings } from "../../../../src/resources/message-settings.js";
import type { MessageChannel } from "../../../../src/resources/subscription.js";
import type { Template } from "../../../../src/resources/template.js";
import { filled, type PlaceholderValues } from "../../../../src/values/placeholders.js";
import { cardTexts } from "../../../wallets/card-texts.js";
import { useShownPicture } from "../parts/shown-picture.js";
import type { EditedText } from "./edited-content.js";

/** The colours of mails and cards without a design. */
const plain = { backgroundColor: "#3730a3", foregroundColor: "#ffffff" };

interface PreviewsProps {
  readonly text: EditedText;
  readonly channels: readonly MessageChannel[];
  /** The card that the message is about. */
  readonly template: Template | null;
  readonly link: string;
  readonly rules: Pick<MessageSettings, "senderName" | "footer">;
}

/** A message as one customer sees it: on the lock screen, on Google's card, and as a mail. */
export function Previews({ text, channels, template, link, rules }: PreviewsProps) {
  const example = exampleOf(template);
  const stamps = template?.maxStamps ? `, with ${example.stamps} of ${template.maxStamps} stamps` : "";
  return (
    <section class="stack tight" aria-label="Preview">
      <h2>As Anna sees it</h2>
      <p class="hint">
        An example of a customer{stamps}. The stamps are those of the moment when it is read.
      </p>
      {channels.length === 0 && <p class="note">Choose how the message reaches customers.</p>}
      <div class="wallet-previews" lang={text.language}>
        {channels.includes("wallet") && (
          <OnCard said={filled(text.wallet, example)} language={text.language} template={template} />
        )}
        {channels.includes("email") && (
          <MailPreview
            subject={filled(text.subject, example)}
            text={filled(text.text, example)}
            button={link.trim() !== "" ? "Find out more" : template === null ? null : "Open your card"}
            template={template}
            rules={rules}
          />
        )}
      </div>
    </section>
  );
}

/** What a card of the template says of somebody who is halfway. */
function exampleOf(template: Template | null): PlaceholderValues {
  const total = template?.maxStamps ?? 0;
  const stamps = Math.ceil(total / 2);
  return { name: "Anna", card: template?.name ?? null, stamps, toGo: total - stamps, rewards: 0 };
}

interface OnCardProps {
  readonly said: string;
  readonly language: string;
  readonly template: Template | null;
}

function OnCard({ said, language, template }: OnCardProps) {
  const logo = useShownPicture(template?.design?.icon ?? template?.design?.logo ?? null);
  const look = template?.design ?? plain;
  const title = titleOf(template, language);
  const colors = { "--card-ground": look.backgroundColor, "--card-ink": look.foregroundColor };
  const words = said.trim() === "" ? <span class="quiet">No text yet</span> : said;
  return (
    <>
      <section class="lock-screen" aria-label="On the lock screen of an iPhone">
        <p class="clock" aria-hidden="true">
          9:41
        </p>
        <div class="notification">
          <span class="app-icon" style={colors} aria-hidden="true">
            {logo !== null && <img src={logo} alt="" />}
          </span>
          <div>
            <p class="row spread">
              <strong dir="auto">{title}</strong> <small>now</small>
            </p>
            <p dir="auto">{words}</p>
          </div>
        </div>
      </section>
      <section class="wallet-card google" aria-label="On the card in Google Wallet" style={colors}>
        <header>
          {logo !== null && <img src={logo} alt="" />}
          <strong dir="auto">{title}</strong>
        </header>
        <div class="card-message">
          <strong dir="auto">{title}</strong>
          <p dir="auto">{words}</p>
        </div>
        <p class="card-note">Google chooses the words on the lock screen itself.</p>
      </section>
    </>
  );
}

/** The title of a card in a language, or else in its first. */
function titleOf(template: Template | null, language: string): string {
  if (template === null) return "";
  const all = cardTexts(template, null);
  return (all.find((texts) => texts.language === language) ?? all[0]).words.title;
}

interface MailPreviewProps {
  readonly subject: string;
  readonly text: string;
  /** The words of the button; `null` for none. */
  readonly button: string | null;
  readonly template: Template | null;
  readonly rules: Pick<MessageSettings, "senderName" | "footer">;
}

function MailPreview({ subject, text, button, template, rules }: MailPreviewProps) {
  const logo = useShownPicture(template?.design?.logo ?? null);
  const { backgroundColor, foregroundColor } = template?.design ?? plain;
  const colors = { "--card-ground": backgroundColor, "--card-ink": foregroundColor };
  return (
    <section class="mail-preview" aria-label="As a mail" style={colors}>
      <header>
        <p class="quiet">
          From <bdi>{rules.senderName ?? "the sender that the server has"}</bdi>
        </p>
        <p>
          <strong dir="auto">{subject.trim() === "" ? "No subject yet" : subject}</strong>
        </p>
      </header>
      <div class="mail-page">
        <div class="mail-panel">
          {logo !== null && <img src={logo} alt="" />}
          <strong dir="auto">{subject}</strong>
        </div>
        <p class="mail-text" dir="auto">
          {text.trim() === "" ? <span class="quiet">No text yet</span> : linked(text)}
        </p>
        {button !== null && <p class="mail-button">{button}</p>}
        {rules.footer !== null && (
          <p class="mail-text quiet" dir="auto">
            {rules.footer}
          </p>
        )}
        <p class="quiet">
          You get this mail because you agreed to get news by email. <u>Unsubscribe</u>
        </p>
      </div>
    </section>
  );
}

/** The text with its addresses as mails show them. They lead nowhere here. */
function linked(text: string) {
  return text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
    .map((part, at) => (at % 2 === 1 ? <u key={at}>{part}</u> : part));
}
