import { session } from "../api/session.js";
import { Check, Field, Select, TextField, toChoices } from "../components/field.js";
import { wayChoices, ways as words } from "../words/en/message-editor.js";
import type { ContentDraft } from "./content-draft.js";

interface ContentFieldsProps {
  readonly draft: ContentDraft;
  /** The cards that the user can choose from. */
  readonly templates: readonly { readonly id: string; readonly name: string }[];
  /** Whether the user must choose a card. */
  readonly needsCard?: boolean;
  /** Returns the error message for a path within the content, such as `channels`. */
  readonly findError: (path: string) => string | undefined;
  readonly onChange: (part: Partial<ContentDraft>) => void;
}

export function ContentFields({
  draft,
  templates,
  needsCard = false,
  findError,
  onChange,
}: ContentFieldsProps) {
  const { templateId, onWallet, byEmail, mode } = draft;
  const channelError = findError("channels") ?? findError("channels.0") ?? findError("channels.1");
  const emptyChoice = needsCard ? [] : [["", words.noCard] as const];
  return (
    <>
      <Field label={words.card} hint={words.cardHint} error={findError("templateId")}>
        <Select
          value={templateId}
          choices={[...emptyChoice, ...toChoices(templates)]}
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
        {channelError !== undefined && (
          <p class="field-error" role="alert">
            {channelError}
          </p>
        )}
      </fieldset>
      {onWallet && byEmail && (
        <Field label={words.both}>
          <Select value={mode} choices={wayChoices} onChoose={(choice) => onChange({ mode: choice })} />
        </Field>
      )}
      {byEmail && (
        <TextField
          label={words.link}
          hint={words.linkHint}
          error={findError("link")}
          inputMode="url"
          autocomplete="off"
          value={draft.link}
          onText={(text) => onChange({ link: text })}
        />
      )}
    </>
  );
}
