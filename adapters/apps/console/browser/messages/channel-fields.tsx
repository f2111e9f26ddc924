import type { Template } from "../../../../../src/cards/schema.js";
import { TextField } from "../components/field.js";
import { ways as words } from "../words/en/message-editor.js";
import { ContentFields } from "./content-fields.js";
import type { MessageDraft } from "./message-draft.js";

export interface MessageEditorProps {
  readonly edited: MessageDraft;
  /** Returns the error message for a path within the message, such as `texts.0.subject`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly onChange: (part: Partial<MessageDraft>) => void;
}

/** Form fields for a message's name, card, and channels. */
export function ChannelFields({
  edited,
  templates,
  errorOf,
  onChange,
}: MessageEditorProps & { readonly templates: readonly Template[] }) {
  const { name } = edited;
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <TextField
        label={words.name}
        hint={words.nameHint}
        error={errorOf("name")}
        autocomplete="off"
        value={name}
        onText={(text) => onChange({ name: text })}
      />
      <ContentFields edited={edited} templates={templates} errorOf={errorOf} onChange={onChange} />
    </section>
  );
}
