import type { MessageChannel } from "../../../../../src/messages/subscription-schema.js";
import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { renderCode } from "../components/with-code.js";
import { texts as words } from "../words/en/message-editor.js";
import { findMissingTexts, noText, type TextDraft } from "./content-draft.js";

const MOST = 20;
const LINE = 150;
const TEXT = 20_000;

interface TextsFieldsProps {
  readonly texts: readonly TextDraft[];
  readonly channels: readonly MessageChannel[];
  /** Whether the message is about a card, which means that texts can use the placeholders for card values. */
  readonly hasCard: boolean;
  readonly errorOf: (path: string) => string | undefined;
  /** Called with the changed texts and the index of the text to preview. */
  readonly onChange: (texts: readonly TextDraft[], shown: number) => void;
  /** Called with the index of the text to preview when the user selects a text. */
  readonly onShow: (at: number) => void;
}

/** Form fields for a message's texts, with one set of fields for each language. */
export function TextsFields({ texts, channels, hasCard, errorOf, onChange, onShow }: TextsFieldsProps) {
  return (
    <section class="stack tight" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p class="hint">{renderCode(hasCard ? words.placeholdersOfCard : words.placeholders)}</p>
      {errorOf("texts") !== undefined && (
        <p class="field-error" role="alert">
          {errorOf("texts")}
        </p>
      )}
      {texts.map((text, at) => (
        <TextFields
          key={at}
          text={text}
          at={at}
          channels={channels}
          errorOf={(path) => errorOf(`texts.${at}.${path}`)}
          onChange={(changed) => onChange(texts.with(at, changed), at)}
          onShow={() => onShow(at)}
          {...(texts.length > 1 && { onRemove: () => onChange(texts.toSpliced(at, 1), 0) })}
        />
      ))}
      <div>
        <Button
          text={words.add}
          disabled={texts.length >= MOST}
          onClick={() => onChange([...texts, noText("")], texts.length)}
        />
      </div>
    </section>
  );
}

interface TextFieldsProps extends Pick<TextsFieldsProps, "channels" | "errorOf"> {
  readonly text: TextDraft;
  readonly at: number;
  readonly onChange: (text: TextDraft) => void;
  readonly onShow: () => void;
  readonly onRemove?: () => void;
}

function TextFields({ text, at, channels, errorOf, onChange, onShow, onRemove }: TextFieldsProps) {
  const controlOf = (name: keyof TextDraft) => ({
    error: errorOf(name),
    value: text[name],
    onText: (value: string) => onChange({ ...text, [name]: value }),
  });
  const isUsed = (channel: MessageChannel, name: keyof TextDraft) =>
    channels.includes(channel) || errorOf(name) !== undefined || text[name] !== "";
  const missing = findMissingTexts(text, channels);
  return (
    <fieldset class="stack tight panel padded" onFocusCapture={onShow}>
      <legend class="unseen">{words.text(at + 1)}</legend>
      <TextField
        label={words.language}
        hint={at === 0 ? words.firstHint : words.languageHint}
        autocomplete="off"
        spellcheck={false}
        {...controlOf("language")}
      />
      {isUsed("wallet", "wallet") && (
        <TextField
          label={words.onCard}
          hint={words.onCardHint(lengthText(text.wallet, LINE))}
          rows={2}
          {...controlOf("wallet")}
        />
      )}
      {isUsed("email", "subject") && (
        <TextField
          label={words.subject}
          hint={lengthText(text.subject, LINE)}
          autocomplete="off"
          {...controlOf("subject")}
        />
      )}
      {isUsed("email", "text") && (
        <TextField
          label={words.mailText}
          hint={words.textHint(lengthText(text.text, TEXT))}
          rows={8}
          {...controlOf("text")}
        />
      )}
      {missing.length > 0 && <p class="note warn">{words.missing(missing)}</p>}
      {onRemove !== undefined && (
        <div>
          <Button text={words.remove(at + 1)} kind="plain" onClick={onRemove} />
        </div>
      )}
    </fieldset>
  );
}

/** Describes a text's length, for example "34 of 150 characters", counted like the server does. */
function lengthText(text: string, most: number): string {
  const length = [...text.normalize("NFC")].length;
  return length > most ? words.tooLong(length, most) : words.length(length, most);
}
