import { fillPlaceholders, type PlaceholderValues } from "../../../../../src/base/values/placeholders.js";
import type { Template } from "../../../../../src/cards/schema.js";
import type { MessageSettings } from "../../../../../src/messages/settings-schema.js";
import type { MessageChannel } from "../../../../../src/messages/subscription-schema.js";
import { describeCard } from "../../../../delivery/wallets/card-texts.js";
import { usePictureUrl } from "../components/use-picture-url.js";
import { preview as words } from "../words/en/message-editor.js";
import type { TextDraft } from "./content-draft.js";
import { MailPreview, plainColors } from "./mail-preview.js";

interface PreviewsProps {
  readonly text: TextDraft;
  readonly channels: readonly MessageChannel[];
  /** The card that the message is about, or `null` if it isn't about a card. */
  readonly template: Template | null;
  readonly link: string;
  readonly rules: Pick<MessageSettings, "senderName" | "footer">;
  /** The shop's language, or `null` if it isn't set. */
  readonly shopLanguage: string | null;
}

/**
 * Previews a message as customers see it: on the lock screen, on a card in Google Wallet, and as an email. Shows only the selected
 * channels.
 */
export function Previews({ text, channels, template, link, rules, shopLanguage }: PreviewsProps) {
  const example = buildExample(template);
  const most = template?.maxStamps ?? null;
  return (
    <section class="stack tight" aria-label={words.label}>
      <h2>{words.title}</h2>
      <p class="hint">{most === null ? words.hint : words.hintOfCard(stampsHalfway(most), most)}</p>
      {channels.length === 0 && <p class="note">{words.noWay}</p>}
      <div class="wallet-previews" lang={text.language}>
        {channels.includes("wallet") && (
          <OnCard
            said={fillPlaceholders(text.wallet, example)}
            language={text.language}
            template={template}
          />
        )}
        {channels.includes("email") && (
          <MailPreview
            subject={fillPlaceholders(text.subject, example)}
            text={fillPlaceholders(text.text, example)}
            languages={[text.language, template?.design?.texts[0]?.language, shopLanguage]}
            button={link.trim() !== "" ? "followLink" : template === null ? null : "open"}
            template={template}
            rules={rules}
          />
        )}
      </div>
    </section>
  );
}

const stampsHalfway = (most: number) => Math.ceil(most / 2);

/** Returns example values for a card that is half full. */
function buildExample(template: Template | null): PlaceholderValues {
  const total = template?.maxStamps ?? 0;
  const stamps = stampsHalfway(total);
  return { name: "Anna", card: template?.name ?? null, stamps, toGo: total - stamps, rewards: 0 };
}

interface OnCardProps {
  readonly said: string;
  readonly language: string;
  readonly template: Template | null;
}

function OnCard({ said, language, template }: OnCardProps) {
  const logo = usePictureUrl(template?.design?.icon ?? template?.design?.logo ?? null);
  const look = template?.design ?? plainColors;
  const title = findTitle(template, language);
  const colors = { "--card-ground": look.backgroundColor, "--card-ink": look.foregroundColor };
  const shown = said.trim() === "" ? <span class="quiet">{words.noText}</span> : said;
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
            <p dir="auto">{shown}</p>
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
          <p dir="auto">{shown}</p>
        </div>
        <p class="card-note">{words.googleNote}</p>
      </section>
    </>
  );
}

/** Returns a card's title in a language, or in the card's first language if it has no such texts. */
function findTitle(template: Template | null, language: string): string {
  if (template === null) return "";
  const all = describeCard(template, null);
  return (all.find((texts) => texts.language === language) ?? all[0]).words.title;
}
