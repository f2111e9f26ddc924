import type { MessageSettings, UpdateMessageSettings } from "../../../../../src/messages/settings-schema.js";
import { api } from "../api/calls.js";
import { hasScopes, session } from "../api/session.js";
import { UnsavedChanges } from "../app/unsaved.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { createOptionalTextField, createParsedTextField, useForm } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { MissingSetup } from "../components/missing-setup.js";
import { showToast } from "../components/toasts.js";
import { parts } from "../words/en/parts.js";
import { settings as words } from "../words/en/settings.js";
import { SaveRow } from "./save-row.js";

const fields = {
  senderName: createOptionalTextField(words.mail.sender, {
    maxLength: 78,
    autocomplete: "off",
    hint: words.mail.senderHint,
  }),
  replyTo: createParsedTextField(words.mail.replyTo, (input): string | null => input.trim() || null, {
    inputMode: "email",
    autocomplete: "off",
    hint: words.mail.replyToHint,
  }),
  footer: createOptionalTextField(words.mail.footer, {
    rows: 4,
    maxLength: 1_000,
    hint: words.mail.footerHint,
  }),
};

/**
 * A form for the sender name, reply-to address, and footer of the organization's emails. Shows a note if the server doesn't send
 * email.
 */
export function MailSettings() {
  const settings = useLoad("mail", (calls) => calls.messageSettings.get());
  return (
    <>
      {!session.hasMail && <MissingSetup text={parts.noMail} />}
      <Loading data={settings} height="20rem">
        {(saved) => <MailForm saved={saved} onSaved={settings.set} />}
      </Loading>
    </>
  );
}

interface MailFormProps {
  readonly saved: MessageSettings;
  readonly onSaved: (settings: MessageSettings) => void;
}

function MailForm({ saved, onSaved }: MailFormProps) {
  const mayChange = hasScopes("message:send");
  const form = useForm(fields, {
    saved,
    send: async (values) => {
      onSaved(await api.messageSettings.update(pickChanges(saved, values)));
      showToast(words.saved);
    },
  });
  const { senderName, replyTo, footer } = form.values;
  const currentValues = {
    senderName: fields.senderName.parse(senderName),
    replyTo: fields.replyTo.parse(replyTo),
    footer: fields.footer.parse(footer),
  };
  const message = form.getFormMessage([]);
  const attributes = mayChange ? {} : { disabled: true };
  return (
    <form class="panel padded stack" aria-label={words.mail.form} onSubmit={form.submit} noValidate>
      <UnsavedChanges isDirty={Object.keys(pickChanges(saved, currentValues)).length > 0} />
      {form.controls([], { senderName: attributes, replyTo: attributes, footer: attributes })}
      {message !== null && <ErrorText>{message}</ErrorText>}
      <SaveRow scope="message:send" isBusy={form.isBusy} />
    </form>
  );
}

/** Returns only the changed fields, because other users may have changed the rest in the meantime. */
function pickChanges(
  saved: MessageSettings,
  { senderName, replyTo, footer }: Pick<MessageSettings, keyof typeof fields>,
): UpdateMessageSettings {
  return {
    ...(senderName !== saved.senderName && { senderName }),
    ...(replyTo !== saved.replyTo && { replyTo }),
    ...(footer !== saved.footer && { footer }),
  };
}
