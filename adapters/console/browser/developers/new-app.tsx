import { useState } from "preact/hooks";
import type { CreatedApp } from "../../../../src/resources/app.js";
import type { Scope } from "../../../../src/scopes.js";
import { post } from "../app/call.js";
import { Field } from "../parts/field.js";
import { tell } from "../parts/toasts.js";
import { MakingDialog } from "./making-dialog.js";
import { ScopeChoice } from "./scope-choice.js";

interface NewAppProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Registers an app for scopes that whoever registers it has, and shows its secret this once, unless it is public. */
export function NewApp({ onClose, onMade }: NewAppProps) {
  const [name, setName] = useState("");
  const [isPublic, setPublic] = useState(false);
  const [uris, setUris] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const make = async () => {
    const redirectUris = uris.split(/\s+/).filter((uri) => uri !== "");
    const input = { name: name.trim(), redirectUris, scopes: [...scopes], isPublic };
    const { app, clientSecret } = await post<CreatedApp>("/v1/apps", input);
    onMade();
    if (clientSecret === null) {
      tell(`The app “${app.name}” was registered`);
      return null;
    }
    const use = `The app proves with it that it is ${app.id}.`;
    return { title: `The secret of “${app.name}”`, use, secret: clientSecret };
  };
  return (
    <MakingDialog
      title="New app"
      verb="Register app"
      fields={["name", "redirectUris", "scopes"]}
      make={make}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <Field label="Name" hint="People read it when they are asked to allow it." error={errorAt("name")}>
            <input maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <label class="check">
            <input type="checkbox" checked={isPublic} onChange={() => setPublic(!isPublic)} />
            <span>
              Public: it runs on the devices of people
              <br />
              <span class="hint">A phone, a browser or a command line keeps no secret, so it gets none.</span>
            </span>
          </label>
          <Field
            label="Redirect URIs"
            hint={
              isPublic
                ? "Where browsers come back to, one on a line: https, http on localhost, or a scheme of the app’s own."
                : "Where browsers come back to, one on a line: https, or http on localhost."
            }
            error={errorAt("redirectUris")}
          >
            <textarea
              rows={2}
              inputMode="url"
              spellcheck={false}
              placeholder={isPublic ? "com.example.app:/callback" : "https://app.example/callback"}
              value={uris}
              onInput={(event) => setUris(event.currentTarget.value)}
            />
          </Field>
          <ScopeChoice
            legend="What it may ask for"
            chosen={scopes}
            error={errorAt("scopes")}
            onChange={setScopes}
          />
        </>
      )}
    </MakingDialog>
  );
}
