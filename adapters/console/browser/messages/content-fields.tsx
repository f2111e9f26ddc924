import { session } from "../api/session.js";
import type { Choices } from "../parts/choices.js";
import { Check, Field, namedChoices, Select, TextField } from "../parts/field.js";
import type { EditedContent, Way } from "./edited-content.js";

const ways: Choices<Way> = [
  ["each", "Use both"],
  ["wallet", "The card alone; else a mail"],
  ["email", "The mail alone; else the card"],
];

interface ContentFieldsProps {
  readonly edited: EditedContent;
  /** The cards that it can be about. */
  readonly templates: readonly { readonly id: string; readonly name: string }[];
  /** Whether it is about one card in any case. */
  readonly needsCard?: boolean;
  /** Returns what is wrong at a path of the content, such as `channels`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly onChange: (part: Partial<EditedContent>) => void;
}

/** The card that a message is about, and the channels that it goes out by. */
export function ContentFields({
  edited,
  templates,
  needsCard = false,
  errorOf,
  onChange,
}: ContentFieldsProps) {
  const { templateId, onWallet, byEmail, way } = edited;
  const wrong = errorOf("channels") ?? errorOf("channels.0") ?? errorOf("channels.1");
  const none = needsCard ? [] : [["", "None: a mail without a card"] as const];
  return (
    <>
      <Field
        label="Card"
        hint="The message speaks of this card, and stands on it."
        error={errorOf("templateId")}
      >
        <Select
          value={templateId}
          choices={[...none, ...namedChoices(templates)]}
          onChoose={(id) => onChange({ templateId: id })}
        />
      </Field>
      <fieldset class="plain stack tight">
        <legend class="label">How it reaches them</legend>
        <Check
          isChecked={onWallet}
          hint={session.hasWallets ? undefined : "This server has no wallets set up yet."}
          onChange={(isOn) => onChange({ onWallet: isOn })}
        >
          On the card in the wallet
        </Check>
        <Check
          isChecked={byEmail}
          hint={session.hasMail ? undefined : "This server sends no mails yet."}
          onChange={(isOn) => onChange({ byEmail: isOn })}
        >
          By mail
        </Check>
        {wrong !== undefined && (
          <p class="field-error" role="alert">
            {wrong}
          </p>
        )}
      </fieldset>
      {onWallet && byEmail && (
        <Field label="Where both would reach a customer">
          <Select value={way} choices={ways} onChoose={(chosen) => onChange({ way: chosen })} />
        </Field>
      )}
      {byEmail && (
        <TextField
          label="Where the button of the mail leads"
          hint="An address that begins with https://. Empty: to the page of the customer’s card."
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
