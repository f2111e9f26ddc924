import type { Ref } from "preact";
import { Button } from "../components/button.js";
import { till as words } from "../words/en/till.js";

/** Maximum length of the search text. */
const MOST_TYPED = 254;

interface TillFieldProps {
  readonly field: Ref<HTMLInputElement>;
  readonly typed: string;
  /** Whether the user's input looks like a card's code. */
  readonly isCode: boolean;
  readonly onTyped: (text: string) => void;
  readonly onSubmit: () => void;
  readonly onSettings: () => void;
}

/** A text field for entering a card's code, or for finding customers who don't have their phone with them. */
export function TillField({ field, typed, isCode, onTyped, onSubmit, onSettings }: TillFieldProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isCode) onSubmit();
  };
  return (
    <search>
      <form class="till-row" onSubmit={submit}>
        <Button label={words.settings} icon="settings" onClick={onSettings} />
        <input
          ref={field}
          class="grow"
          aria-label={words.field}
          placeholder={words.fieldExample}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={MOST_TYPED}
          value={typed}
          onInput={(event) => onTyped(event.currentTarget.value)}
        />
        {typed !== "" && (
          <Button text={words.find} kind={isCode ? "primary" : ""} type="submit" disabled={!isCode} />
        )}
      </form>
    </search>
  );
}

/** Truncates text to the field's maximum length. */
export const asTyped = (text: string) => text.slice(0, MOST_TYPED);
