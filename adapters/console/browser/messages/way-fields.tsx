import type { Template } from "../../../../src/resources/template.js";
import { session } from "../api/session.js";
import type { Choices } from "../parts/choices.js";
import { Check, Field, namedChoices, Select, TextField } from "../parts/field.js";
import type { EditedMessage, Way } from "./edited-message.js";

const ways: Choices<Way> = [
  ["each", "Use both"],
  ["wallet", "The card alone; else a mail"],
  ["email", "The mail alone; else the card"],
];

export interface MessagePartProps {
  readonly edited: EditedMessage;
  /** Returns what is wrong at a path of the message, such as `texts.0.subject`. */
  readonly errorOf: (path: string) => string | undefined;
  readonly onChange: (part: Partial<EditedMessage>) => void;
}

/** The name of a message, its card, and the channels that it goes out by. */
export function WayFields({
  edited,
  templates,
  errorOf,
  onChange,
}: MessagePartProps & { readonly templates: readonly Template[] }) {
  const { name, templateId, onWallet, byEmail, way } = edited;
  const wrong = errorOf("channels") ?? errorOf("channels.0") ?? errorOf("channels.1");
  return (
    <section class="panel padded stack" aria-label="Name and ways">
      <TextField
        label="Name"
        hint="For you and your colleagues: customers don’t see it."
        error={errorOf("name")}
        autocomplete="off"
        value={name}
        onText={(text) => onChange({ name: text })}
      />
      <Field
        label="Card"
        hint="The message speaks of this card, and stands on it."
        error={errorOf("templateId")}
      >
        <Select
          value={templateId}
          choices={[["", "None: a mail without a card"], ...namedChoices(templates)]}
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
    </section>
  );
}
