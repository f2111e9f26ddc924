import { useState } from "preact/hooks";
import type { App } from "../../../../src/resources/app.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { Button } from "../parts/button.js";
import { ConfirmButton, Dialog, DialogButton } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Empty, LoadingList } from "../parts/states.js";
import { attempt } from "../parts/toasts.js";
import { dayText } from "../words/en/forms.js";
import { Grants } from "./grants.js";
import { NewApp } from "./new-app.js";
import { ScopeChips, scopesText } from "./scopes.js";
import { SecretDialog } from "./secret.js";

/** The OAuth apps of the organization, and what its users allow apps. */
export function Apps() {
  const apps = useLoad("apps", (calls) => calls.apps.list());
  const none = (
    <Empty isPanel title="No apps">
      A program that works for people of other organizations asks them through OAuth. Register it here first.
    </Empty>
  );
  return (
    <div class="stack">
      {may("api_token:manage") && (
        <div class="row">
          <DialogButton
            text="New app"
            kind="primary"
            dialog={(close) => <NewApp onClose={close} onMade={apps.reload} />}
          />
        </div>
      )}
      <LoadingList of={apps} empty={none}>
        {(app) => <AppItem key={app.id} app={app} onChanged={apps.reload} />}
      </LoadingList>
      {apps.value !== null && <Grants apps={apps.value} />}
    </div>
  );
}

function AppItem({ app, onChanged }: { readonly app: App; readonly onChanged: () => void }) {
  const { id, name, isPublic, redirectUris, scopes, createdAt } = app;
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = (atOnce: boolean) =>
    attempt(async () => {
      setSecret((await api.apps.rotateSecret(id, { atOnce })).clientSecret);
      onChanged();
    });
  return (
    <li>
      <div class="grow">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          <code>{id}</code> {isPublic && <span class="chip">public</span>}
        </p>
        <p class="quiet">
          {scopesText(scopes)} · registered {dayText(createdAt)}
        </p>
        <details>
          <summary class="quiet">Redirect URIs and scopes</summary>
          {redirectUris.map((uri) => (
            <p key={uri}>
              <code>{uri}</code>
            </p>
          ))}
          <ScopeChips scopes={scopes} />
        </details>
      </div>
      <div class="row">
        {!isPublic && (
          <DialogButton
            text="New secret"
            dialog={(close) => <RotateDialog name={name} onClose={close} onRotate={rotate} />}
          />
        )}
        <ConfirmButton
          kind="plain"
          text="Delete"
          title={`Delete “${name}”?`}
          verb={`Delete ${name}`}
          call={() => api.apps.delete(id)}
          said={`The app “${name}” was deleted`}
          onDone={onChanged}
        >
          <p>
            It gets no tokens any more, and those that it has end now, in every organization that allowed it.
            This can’t be undone.
          </p>
        </ConfirmButton>
      </div>
      {secret !== null && (
        <SecretDialog
          title={`The new secret of “${name}”`}
          use="The app proves with it who it is."
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </li>
  );
}

interface RotateDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onRotate: (atOnce: boolean) => Promise<unknown>;
}

function RotateDialog({ name, onClose, onRotate }: RotateDialogProps) {
  const rotate = (atOnce: boolean) => {
    onClose();
    void onRotate(atOnce);
  };
  return (
    <Dialog title={`A new secret for “${name}”`} onClose={onClose}>
      <p>
        The one before stays good for 24 hours, until your servers have the new one. If it leaked, end it now.
      </p>
      <div class="actions">
        <Button text="Cancel" onClick={onClose} />
        <Button text="End the old one now" kind="danger" onClick={() => rotate(true)} />
        <Button text="Make new secret" kind="primary" onClick={() => rotate(false)} />
      </div>
    </Dialog>
  );
}
