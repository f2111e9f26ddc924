import type { MessageChannel } from "../../../../src/resources/subscription.js";
import { Button } from "../parts/button.js";
import { TextField } from "../parts/field.js";
import { numberText } from "../words/en/forms.js";
import { type EditedText, missingParts, noText } from "./edited-content.js";

const MOST = 20;
const LINE = 150;
const TEXT = 20_000;

interface TextsFieldsProps {
  readonly texts: readonly EditedText[];
  readonly channels: readonly MessageChannel[];
  /** Whether the message is about a card, so that its placeholders stand for something. */
  readonly hasCard: boolean;
  readonly errorOf: (path: string) => string | undefined;
  /** Gets the texts, and the place of the one to be shown. */
  readonly onChange: (texts: readonly EditedText[], shown: number) => void;
  /** Shows the text at a place as customers see it. */
  readonly onShow: (at: number) => void;
}

/** What a message says, language by language. */
export function TextsFields({ texts, channels, hasCard, errorOf, onChange, onShow }: TextsFieldsProps) {
  return (
    <section class="stack tight" aria-label="Texts">
      <h2>Texts</h2>
      <p class="hint">
        <code>{"{name}"}</code> stands for the customer’s name
        {hasCard && (
          <>
            , <code>{"{card}"}</code> for the card’s, <code>{"{stamps}"}</code>, <code>{"{toGo}"}</code> and{" "}
            <code>{"{rewards}"}</code> for the stamps on it, those that are missing, and the rewards that wait
          </>
        )}
        .
      </p>
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
          text="Add language"
          disabled={texts.length >= MOST}
          onClick={() => onChange([...texts, noText("")], texts.length)}
        />
      </div>
    </section>
  );
}

interface TextFieldsProps extends Pick<TextsFieldsProps, "channels" | "errorOf"> {
  readonly text: EditedText;
  readonly at: number;
  readonly onChange: (text: EditedText) => void;
  readonly onShow: () => void;
  readonly onRemove?: () => void;
}

function TextFields({ text, at, channels, errorOf, onChange, onShow, onRemove }: TextFieldsProps) {
  const controlOf = (name: keyof EditedText) => ({
    error: errorOf(name),
    value: text[name],
    onText: (value: string) => onChange({ ...text, [name]: value }),
  });
  const isUsed = (channel: MessageChannel, name: keyof EditedText) =>
    channels.includes(channel) || errorOf(name) !== undefined || text[name] !== "";
  const missing = missingParts(text, channels);
  const others = at === 0 ? " Who speaks none of the others reads it, too." : "";
  return (
    <fieldset class="stack tight panel padded" onFocusCapture={onShow}>
      <legend class="unseen">Text {at + 1}</legend>
      <TextField
        label="Language"
        hint={`Such as en or pt-BR.${others}`}
        autocomplete="off"
        spellcheck={false}
        {...controlOf("language")}
      />
      {isUsed("wallet", "wallet") && (
        <TextField
          label="On the card"
          hint={`On the lock screen and on the card. ${lengthText(text.wallet, LINE)}`}
          rows={2}
          {...controlOf("wallet")}
        />
      )}
      {isUsed("email", "subject") && (
        <TextField
          label="Subject of the mail"
          hint={lengthText(text.subject, LINE)}
          autocomplete="off"
          {...controlOf("subject")}
        />
      )}
      {isUsed("email", "text") && (
        <TextField
          label="Text of the mail"
          hint={`Plain text; addresses in it become links. ${lengthText(text.text, TEXT)}`}
          rows={8}
          {...controlOf("text")}
        />
      )}
      {missing.length > 0 && <p class="note warn">Still missing: {missing.join(", ")}.</p>}
      {onRemove !== undefined && (
        <div>
          <Button text={`Remove text ${at + 1}`} kind="plain" onClick={onRemove} />
        </div>
      )}
    </fieldset>
  );
}

/** 34 of 150 characters, as the server counts them. */
function lengthText(text: string, most: number): string {
  const length = [...text.normalize("NFC")].length;
  const over = length > most ? `, ${numberText(length - most)} too many` : "";
  return `${numberText(length)} of ${numberText(most)} characters${over}.`;
}
