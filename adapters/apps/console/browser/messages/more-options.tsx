import { useState } from "preact/hooks";
import { Check, TextField } from "../components/field.js";
import { when as whenWords, ways as words } from "../words/en/message-editor.js";
import { listChannels } from "./content-draft.js";
import { ContentFields } from "./content-fields.js";
import { type MessageDraft, pickDefaultName } from "./message-draft.js";
import type { MessageSetup } from "./message-setup.js";

export interface MessageEditorProps {
  readonly draft: MessageDraft;
  /** Returns the error for a field, given the field's path within the message, such as `texts.0.subject`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (part: Partial<MessageDraft>) => void;
}

interface MoreOptionsProps extends MessageEditorProps {
  readonly setup: MessageSetup;
  /** The draft that a new message starts with. */
  readonly defaults: MessageDraft;
}

const optionNames = [
  ...["templateId", "onWallet", "byEmail", "mode", "link"],
  ...["respectsCap", "expiresAt", "showUntil", "name"],
] as const satisfies (keyof MessageDraft)[];

const errorPaths = [
  ...["templateId", "channels", "channels.0", "channels.1", "link"],
  ...["expiresAt", "showUntil", "name"],
];

/** Form fields that most messages leave as they are. They are folded until one differs from its default or has an error. */
export function MoreOptions({ draft, setup, defaults, findError, onChange }: MoreOptionsProps) {
  const [isOpen, setOpen] = useState(
    () =>
      listChannels(draft).length === 0 || optionNames.some((option) => draft[option] !== defaults[option]),
  );
  const { cap } = setup.rules;
  const hasError = errorPaths.some((path) => findError(path) !== undefined);
  const buildTextProps = (field: "name" | "expiresAt" | "showUntil") => ({
    error: findError(field),
    value: draft[field],
    onText: (text: string) => onChange({ [field]: text } satisfies Partial<MessageDraft>),
  });
  return (
    <details
      class="panel padded"
      open={isOpen || hasError}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{words.title}</summary>
      <div class="stack">
        <ContentFields draft={draft} templates={setup.templates} findError={findError} onChange={onChange} />
        {cap !== null && (
          <Check
            isChecked={draft.respectsCap}
            hint={whenWords.capHint(cap.messages, cap.perDays)}
            onChange={(isOn) => onChange({ respectsCap: isOn })}
          >
            {whenWords.cap}
          </Check>
        )}
        <div class="columns">
          <TextField
            label={whenWords.sentUntil}
            hint={whenWords.sentUntilHint}
            type="datetime-local"
            {...buildTextProps("expiresAt")}
          />
          {draft.onWallet && (
            <TextField
              label={whenWords.shownUntil}
              hint={whenWords.shownUntilHint}
              type="datetime-local"
              {...buildTextProps("showUntil")}
            />
          )}
        </div>
        <TextField
          label={words.name}
          hint={words.nameHint}
          placeholder={pickDefaultName(draft.texts)}
          autocomplete="off"
          {...buildTextProps("name")}
        />
      </div>
    </details>
  );
}
