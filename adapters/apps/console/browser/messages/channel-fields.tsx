import type { Template } from "../../../../../src/cards/schema.js";
import { TextField } from "../components/field.js";
import { ways as words } from "../words/en/message-editor.js";
import { ContentFields } from "./content-fields.js";
import type { MessageDraft } from "./message-draft.js";

export interface MessageEditorProps {
  readonly draft: MessageDraft;
  /** Returns the error for a field, given the field's path within the message, such as `texts.0.subject`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (part: Partial<MessageDraft>) => void;
}

/** Form fields for a message's name, card, and channels. */
export function ChannelFields({
  draft,
  templates,
  findError,
  onChange,
}: MessageEditorProps & { readonly templates: readonly Template[] }) {
  const { name } = draft;
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <TextField
        label={words.name}
        hint={words.nameHint}
        error={findError("name")}
        autocomplete="off"
        value={name}
        onText={(text) => onChange({ name: text })}
      />
      <ContentFields draft={draft} templates={templates} findError={findError} onChange={onChange} />
    </section>
  );
}
