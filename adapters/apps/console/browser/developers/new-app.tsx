import { useState } from "preact/hooks";
import { api } from "../api/calls.js";
import { check, FormDialog, parsedText, text, useForm } from "../components/form.js";
import { showToast } from "../components/toasts.js";
import { apps as words } from "../words/en/apps.js";
import { scopesField } from "./scopes.js";
import { type Secret, SecretDialog } from "./secret.js";

const fields = {
  name: text(words.name, { maxLength: 100, hint: words.nameHint }),
  isPublic: check(words.isPublic, words.isPublicHint),
  redirectUris: parsedText(words.redirectUris, (typed) => typed.split(/\s+/).filter((uri) => uri !== ""), {
    rows: 2,
    inputMode: "url",
    spellcheck: false,
  }),
  scopes: scopesField(words.may),
};

const redirectUris = {
  public: {
    hint: words.publicUrisHint,
    placeholder: words.publicUri,
  },
  confidential: {
    hint: words.urisHint,
    placeholder: words.uri,
  },
};

/**
 * A dialog that registers an app with some or all of the user's own scopes. If the app isn't public, the dialog then shows the
 * app's secret once.
 */
export function NewApp({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: () => void }) {
  const [secret, setSecret] = useState<Secret | null>(null);
  const form = useForm(fields, {
    send: async ({ scopes, ...sent }) => {
      const { app, clientSecret } = await api.apps.create({ ...sent, scopes: [...scopes] });
      onMade();
      if (clientSecret === null) {
        showToast(words.wasRegistered(app.name));
        return onClose();
      }
      const use = words.provesId(app.id);
      setSecret({ title: words.secretTitle(app.name), use, secret: clientSecret });
    },
  });
  if (secret !== null) return <SecretDialog {...secret} onClose={onClose} />;
  return (
    <FormDialog title={words.fresh} verb={words.register} form={form} isWide onClose={onClose}>
      {form.controls([], { redirectUris: redirectUris[form.values.isPublic ? "public" : "confidential"] })}
    </FormDialog>
  );
}
