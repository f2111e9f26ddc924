import { useState } from "preact/hooks";
import { api } from "../api/calls.js";
import { check, FormDialog, parsedText, text, useForm } from "../parts/form.js";
import { tell } from "../parts/toasts.js";
import { scopesField } from "./scopes.js";
import { type Secret, SecretDialog } from "./secret.js";

const fields = {
  name: text("Name", { maxLength: 100, hint: "People read it when they are asked to allow it." }),
  isPublic: check(
    "Public: it runs on the devices of people",
    "A phone, a browser or a command line keeps no secret, so it gets none.",
  ),
  redirectUris: parsedText("Redirect URIs", (typed) => typed.split(/\s+/).filter((uri) => uri !== ""), {
    rows: 2,
    inputMode: "url",
    spellcheck: false,
  }),
  scopes: scopesField("What it may ask for"),
};

const redirectUris = {
  public: {
    hint: "Where browsers come back to, one on a line: https, http on localhost, or a scheme of the app’s own.",
    placeholder: "com.example.app:/callback",
  },
  confidential: {
    hint: "Where browsers come back to, one on a line: https, or http on localhost.",
    placeholder: "https://app.example/callback",
  },
};

/** Registers an app for scopes that whoever registers it has, and shows its secret once, unless it is public. */
export function NewApp({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: () => void }) {
  const [secret, setSecret] = useState<Secret | null>(null);
  const form = useForm(fields, {
    send: async ({ scopes, ...sent }) => {
      const { app, clientSecret } = await api.apps.create({ ...sent, scopes: [...scopes] });
      onMade();
      if (clientSecret === null) {
        tell(`The app “${app.name}” was registered`);
        return onClose();
      }
      const use = `The app proves with it that it is ${app.id}.`;
      setSecret({ title: `The secret of “${app.name}”`, use, secret: clientSecret });
    },
  });
  if (secret !== null) return <SecretDialog {...secret} onClose={onClose} />;
  return (
    <FormDialog title="New app" verb="Register app" form={form} isWide onClose={onClose}>
      {form.controls([], { redirectUris: redirectUris[form.values.isPublic ? "public" : "confidential"] })}
    </FormDialog>
  );
}
