import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Placeholder, placeholders } from "../../../../../src/base/values/placeholders.js";
import type { MessageChannel } from "../../../../../src/messages/subscription-schema.js";
import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { LanguageField } from "../components/language-field.js";
import { texts as words } from "../words/en/message-editor.js";
import { createEmptyText, findMissingTexts, type TextDraft } from "./content-draft.js";

const MAX_TEXTS = 20;
const MAX_LINE_LENGTH = 150;
const MAX_TEXT_LENGTH = 20_000;

interface TextsFieldsProps {
  readonly texts: readonly TextDraft[];
  readonly channels: readonly MessageChannel[];
  /** Whether the message is about a card, which means that texts can use the placeholders for card values. */
  readonly hasCard: boolean;
  readonly findError: (path: string) => string | undefined;
  /** Called with the changed texts and the index of the text to preview. */
  readonly onChange: (texts: readonly TextDraft[], shownIndex: number) => void;
  /** Called with the index of the text to preview when the user selects a text. */
  readonly onShow: (index: number) => void;
}

/** Form fields for a message's text, with one set of fields per language. */
export function TextsFields({ texts, channels, hasCard, findError, onChange, onShow }: TextsFieldsProps) {
  return (
    <section class="stack tight" aria-label={words.title}>
      <h2>{words.title}</h2>
      {findError("texts") !== undefined && (
        <p class="field-error" role="alert">
          {findError("texts")}
        </p>
      )}
      {texts.map((text, index) => (
        <TextFields
          key={index}
          text={text}
          index={index}
          channels={channels}
          hasCard={hasCard}
          findError={(path) => findError(`texts.${index}.${path}`)}
          onChange={(changedText) => onChange(texts.with(index, changedText), index)}
          onShow={() => onShow(index)}
          {...(texts.length > 1 && { onRemove: () => onChange(texts.toSpliced(index, 1), 0) })}
        />
      ))}
      <div>
        <Button
          text={words.add}
          disabled={texts.length >= MAX_TEXTS}
          onClick={() => onChange([...texts, createEmptyText("")], texts.length)}
        />
      </div>
    </section>
  );
}

interface TextFieldsProps extends Pick<TextsFieldsProps, "channels" | "hasCard" | "findError"> {
  readonly text: TextDraft;
  readonly index: number;
  readonly onChange: (text: TextDraft) => void;
  readonly onShow: () => void;
  readonly onRemove?: () => void;
}

function TextFields({
  text,
  index,
  channels,
  hasCard,
  findError,
  onChange,
  onShow,
  onRemove,
}: TextFieldsProps) {
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const lastField = useRef<HTMLInputElement | HTMLTextAreaElement | null>(null);
  useEffect(() => {
    // Chips insert into the first field until another one has had the focus.
    if (lastField.current?.isConnected !== true)
      lastField.current = fieldset.current?.querySelector<HTMLTextAreaElement>("textarea, input") ?? null;
  });
  const buildControlProps = (name: keyof TextDraft) => ({
    error: findError(name),
    value: text[name],
    onText: (value: string) => onChange({ ...text, [name]: value }),
  });
  const isUsed = (channel: MessageChannel, name: keyof TextDraft) =>
    channels.includes(channel) || findError(name) !== undefined || text[name] !== "";
  const missing = findMissingTexts(text, channels);
  return (
    <fieldset
      ref={fieldset}
      class="stack tight panel padded"
      onFocusCapture={({ target }) => {
        if (isTextControl(target)) lastField.current = target;
        onShow();
      }}
    >
      <legend class="unseen">{words.text(index + 1)}</legend>
      {isUsed("wallet", "wallet") && (
        <TextField
          label={words.onCard}
          hint={words.onCardHint(formatLength(text.wallet, MAX_LINE_LENGTH))}
          rows={2}
          {...buildControlProps("wallet")}
        />
      )}
      {isUsed("email", "subject") && (
        <TextField
          label={words.subject}
          hint={formatLength(text.subject, MAX_LINE_LENGTH)}
          autocomplete="off"
          {...buildControlProps("subject")}
        />
      )}
      {isUsed("email", "text") && (
        <TextField
          label={words.mailText}
          hint={words.textHint(formatLength(text.text, MAX_TEXT_LENGTH))}
          rows={8}
          {...buildControlProps("text")}
        />
      )}
      <PlaceholderChips placeholders={hasCard ? placeholders : ["name"]} field={lastField} />
      <LanguageField
        value={text.language}
        hint={index === 0 ? words.firstHint : undefined}
        error={findError("language")}
        onChoose={(language) => onChange({ ...text, language })}
      />
      {missing.length > 0 && <p class="note warn">{words.missing(missing)}</p>}
      {onRemove !== undefined && (
        <div>
          <Button text={words.remove(index + 1)} kind="plain" onClick={onRemove} />
        </div>
      )}
    </fieldset>
  );
}

/** Describes a text's length, for example "34 of 150 characters", counted like the server does. */
function formatLength(text: string, maxLength: number): string {
  const length = [...text.normalize("NFC")].length;
  return length > maxLength ? words.tooLong(length, maxLength) : words.length(length, maxLength);
}

type TextControl = HTMLInputElement | HTMLTextAreaElement;

const isTextControl = (target: EventTarget | null): target is TextControl =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

interface PlaceholderChipsProps {
  readonly placeholders: readonly Placeholder[];
  /** The field that had the focus last. */
  readonly field: RefObject<TextControl | null>;
}

/** Buttons that insert what differs for each customer, such as the name, at the cursor of a field. */
function PlaceholderChips({ placeholders, field }: PlaceholderChipsProps) {
  const insert = (placeholder: Placeholder) => {
    const { current: control } = field;
    if (control === null) return;
    const { selectionStart, selectionEnd, value } = control;
    const start = selectionStart ?? value.length;
    control.setRangeText(`{${placeholder}}`, start, selectionEnd ?? start, "end");
    control.dispatchEvent(new Event("input", { bubbles: true }));
    control.focus();
  };
  return (
    <fieldset class="plain row">
      <legend class="unseen">{words.insert}</legend>
      <span class="hint" aria-hidden="true">
        {words.insert}
      </span>
      {placeholders.map((placeholder) => (
        <Button
          key={placeholder}
          icon="plus"
          class="insert"
          text={words.chips[placeholder]}
          onClick={() => insert(placeholder)}
        />
      ))}
    </fieldset>
  );
}
