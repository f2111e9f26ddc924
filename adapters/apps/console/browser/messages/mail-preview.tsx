import type { Template } from "../../../../../src/cards/schema.js";
import type { MessageSettings } from "../../../../../src/messages/settings-schema.js";
import type { LinkedPart } from "../../../../delivery/mail/linked-parts.js";
import { CallError } from "../api/call-error.js";
import { useLoad } from "../components/load.js";
import { usePictureUrl } from "../components/use-picture-url.js";
import { preview as words } from "../words/en/message-editor.js";

/** Default colors for emails, and for cards that have no design. */
export const plainColors = { backgroundColor: "#3730a3", foregroundColor: "#ffffff" };

/** Reserves space for text that is still loading. */
const NOTHING = "\u00a0";

/**
 * Loads the fixed text of emails and the code that finds links in them.
 * @throws {CallError} if the server can't be reached.
 */
async function mailFrom(languages: readonly (string | null | undefined)[]) {
  const [{ mailLanguage }, { linkedParts }] = await Promise.all([
    import("../../../../delivery/mail/languages/mail-language.js"),
    import("../../../../delivery/mail/linked-parts.js"),
  ]).catch(() => {
    throw new CallError(0, null);
  });
  return { ...mailLanguage(languages), linkedParts };
}

interface MailPreviewProps {
  readonly subject: string;
  readonly text: string;
  /** The languages for the email's fixed text, most preferred first. */
  readonly languages: readonly (string | null | undefined)[];
  /** Which text the button shows, or `null` if the email has no button. */
  readonly button: "open" | "followLink" | null;
  readonly template: Template | null;
  readonly rules: Pick<MessageSettings, "senderName" | "footer">;
}

export function MailPreview({ subject, text, languages, button, template, rules }: MailPreviewProps) {
  const own = useLoad(languages.join(" "), () => mailFrom(languages)).value;
  const logo = usePictureUrl(template?.design?.logo ?? null);
  const { backgroundColor, foregroundColor } = template?.design ?? plainColors;
  const colors = { "--card-ground": backgroundColor, "--card-ink": foregroundColor };
  return (
    <section class="mail-preview" aria-label={words.asMail} style={colors}>
      <header>
        <p class="quiet">
          {words.from} <bdi>{rules.senderName ?? words.anySender}</bdi>
        </p>
        <p>
          <strong dir="auto">{subject.trim() === "" ? words.noSubject : subject}</strong>
        </p>
      </header>
      <div class="mail-page">
        <div class="mail-panel">
          {logo !== null && <img src={logo} alt="" />}
          <strong dir="auto">{subject}</strong>
        </div>
        <p class="mail-text" dir="auto">
          {text.trim() === "" ? <span class="quiet">{words.noText}</span> : linked(text, own?.linkedParts)}
        </p>
        {button !== null && <p class="mail-button">{own?.mail[button] ?? NOTHING}</p>}
        {rules.footer !== null && (
          <p class="mail-text quiet" dir="auto">
            {rules.footer}
          </p>
        )}
        <p class="quiet">
          {own?.mail.whyNews ?? NOTHING} <u>{own?.texts.unsubscribe}</u>
        </p>
      </div>
    </section>
  );
}

/** Marks the links in the text like an email does, once the code for that is loaded. The links can't be followed here. */
function linked(text: string, partsOf?: (text: string) => readonly LinkedPart[]) {
  return (
    partsOf?.(text).map((part, at) => (part.target === null ? part.text : <u key={at}>{part.text}</u>)) ??
    text
  );
}
