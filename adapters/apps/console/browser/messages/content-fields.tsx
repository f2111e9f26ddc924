import { session } from "../api/session.js";
import { Check, Field, Select, TextField, toChoices } from "../components/field.js";
import { wayChoices, ways as words } from "../words/en/message-editor.js";
import type { ContentDraft } from "./content-draft.js";

interface ContentFieldsProps {
  readonly edited: ContentDraft;
  /** The cards that the user can choose from. */
  readonly templates: readonly { readonly id: string; readonly name: string }[];
  /** Whether the user must choose a card. */
  readonly needsCard?: boolean;
  /** Returns the error message for a path within the content, such as `channels`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly onChange: (part: Partial<ContentDraft>) => void;
}

export function ContentFields({
  edited,
  templates,
  needsCard = false,
  errorOf,
  onChange,
}: ContentFieldsProps) {
  const { templateId, onWallet, byEmail, way } = edited;
  const wrong = errorOf("channels") ?? errorOf("channels.0") ?? errorOf("channels.1");
  const none = needsCard ? [] : [["", words.noCard] as const];
  return (
    <>
      <Field label={words.card} hint={words.cardHint} error={errorOf("templateId")}>
        <Select
          value={templateId}
          choices={[...none, ...toChoices(templates)]}
          onChoose={(id) => onChange({ templateId: id })}
        />
      </Field>
      <fieldset class="plain stack tight">
        <legend class="label">{words.how}</legend>
        <Check
          isChecked={onWallet}
          hint={session.hasWallets ? undefined : words.noWallets}
          onChange={(isOn) => onChange({ onWallet: isOn })}
        >
          {words.onCard}
        </Check>
        <Check
          isChecked={byEmail}
          hint={session.hasMail ? undefined : words.noMail}
          onChange={(isOn) => onChange({ byEmail: isOn })}
        >
          {words.byMail}
        </Check>
        {wrong !== undefined && (
          <p class="field-error" role="alert">
            {wrong}
          </p>
        )}
      </fieldset>
      {onWallet && byEmail && (
        <Field label={words.both}>
          <Select value={way} choices={wayChoices} onChoose={(chosen) => onChange({ way: chosen })} />
        </Field>
      )}
      {byEmail && (
        <TextField
          label={words.link}
          hint={words.linkHint}
          error={errorOf("link")}
          inputMode="url"
          autocomplete="off"
          value={edited.link}
          onText={(text) => onChange({ link: text })}
        />
      )}
    </>
  );
}
