import { useState } from "preact/hooks";
import type { AppWithSecret } from "../../../../src/resources/app.js";
import type { Scope } from "../../../../src/scopes.js";
import { post } from "../app/call.js";
import { CallError } from "../app/call-error.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { ScopeChoice } from "./scope-choice.js";
import { ShownOnce } from "./shown-once.js";

interface NewAppProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Registers an app for scopes that whoever registers it has, and shows its secret this once. */
export function NewApp({ onClose, onMade }: NewAppProps) {
  const [name, setName] = useState("");
  const [uris, setUris] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const [error, setError] = useState<CallError | null>(null);
  const [made, setMade] = useState<AppWithSecret | null>(null);
  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    const redirectUris = uris.split(/\s+/).filter((uri) => uri !== "");
    try {
      setMade(
        await post<AppWithSecret>("/v1/apps", { name: name.trim(), redirectUris, scopes: [...scopes] }),
      );
      onMade();
    } catch (failed) {
      if (!(failed instanceof CallError)) throw failed;
      setError(failed);
    }
  };
  if (made !== null) {
    return (
      <ShownOnce
        title={`The secret of “${made.app.name}”`}
        use={`The app proves with it that it is ${made.app.id}.`}
        secret={made.clientSecret}
        onClose={onClose}
      />
    );
  }
  const uriError = wrongUri(error);
  const isAtField =
    uriError !== undefined || ["name", "scopes"].some((field) => field in (error?.fields ?? {}));
  return (
    <Dialog title="New app" isWide onClose={onClose} onSubmit={make}>
      <Field label="Name" hint="People read it when they are asked to allow it." error={error?.fields.name}>
        <input maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field
        label="Redirect URIs"
        hint="Where browsers come back to, one on a line: https, or http on localhost."
        error={uriError}
      >
        <textarea
          rows={2}
          inputMode="url"
          spellcheck={false}
          placeholder="https://app.example/callback"
          value={uris}
          onInput={(event) => setUris(event.currentTarget.value)}
        />
      </Field>
      <ScopeChoice
        legend="What it may ask for"
        chosen={scopes}
        error={error?.fields.scopes}
        onChange={setScopes}
      />
      {error !== null && !isAtField && (
        <p class="note bad" role="alert">
          {error.message}
        </p>
      )}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit">
          Register app
        </Button>
      </div>
    </Dialog>
  );
}

/** What is wrong with the addresses, or with the first that is wrong. */
function wrongUri(error: CallError | null): string | undefined {
  const fields = Object.entries(error?.fields ?? {});
  const [field, message] = fields.find(([name]) => /^redirectUris(\.|$)/.test(name)) ?? [];
  const [, at] = field?.split(".") ?? [];
  return at === undefined ? message : `Number ${Number(at) + 1} ${message}`;
}
