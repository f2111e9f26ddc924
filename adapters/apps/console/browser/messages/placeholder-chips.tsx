import type { RefObject } from "preact";
import type { Placeholder } from "../../../../../src/base/values/placeholders.js";
import { Button } from "../components/button.js";
import { texts as words } from "../words/en/message-editor.js";

type TextControl = HTMLInputElement | HTMLTextAreaElement;

export const isTextControl = (target: EventTarget | null): target is TextControl =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

interface PlaceholderChipsProps {
  readonly placeholders: readonly Placeholder[];
  /** The field that had the focus last. */
  readonly field: RefObject<TextControl | null>;
}

/** Buttons that insert what differs for each customer, such as the name, at the cursor of a field. */
export function PlaceholderChips({ placeholders, field }: PlaceholderChipsProps) {
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
