import { useState } from "preact/hooks";
import type { App } from "../../../../../src/access/app-schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { ConfirmButton, Dialog, DialogButton } from "../components/dialog.js";
import { Empty, LoadingList } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { runWithToast } from "../components/toasts.js";
import { apps as words } from "../words/en/apps.js";
import { Grants } from "./grants.js";
import { NewApp } from "./new-app.js";
import { ScopeChips, scopesText } from "./scopes.js";
import { SecretDialog } from "./secret.js";

/** Lists the organization's OAuth apps, and the grants that give apps access to the organization's data. */
export function Apps() {
  const apps = useLoad("apps", (calls) => calls.apps.list());
  const none = (
    <Empty isPanel title={words.none}>
      {words.noneHint}
    </Empty>
  );
  return (
    <div class="stack">
      {hasScopes("api_token:manage") && (
        <div class="row">
          <DialogButton
            text={words.fresh}
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
  const rotate = (immediately: boolean) =>
    runWithToast(async () => {
      setSecret((await api.apps.rotateSecret(id, { immediately })).clientSecret);
      onChanged();
    });
  return (
    <li>
      <div class="grow">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          <code>{id}</code> {isPublic && <span class="chip">{words.public}</span>}
        </p>
        <p class="quiet">
          {scopesText(scopes)} · {words.registered(createdAt)}
        </p>
        <details>
          <summary class="quiet">{words.details}</summary>
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
            text={words.newSecret}
            dialog={(close) => <RotateDialog name={name} onClose={close} onRotate={rotate} />}
          />
        )}
        <ConfirmButton
          kind="plain"
          text={words.delete}
          title={words.deleteTitle(name)}
          verb={words.deleteVerb(name)}
          call={() => api.apps.delete(id)}
          said={words.wasDeleted(name)}
          onDone={onChanged}
        >
          <p>{words.deleteHint}</p>
        </ConfirmButton>
      </div>
      {secret !== null && (
        <SecretDialog
          title={words.newSecretTitle(name)}
          use={words.provesWho}
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
  readonly onRotate: (immediately: boolean) => Promise<unknown>;
}

function RotateDialog({ name, onClose, onRotate }: RotateDialogProps) {
  const rotate = (immediately: boolean) => {
    onClose();
    void onRotate(immediately);
  };
  return (
    <Dialog title={words.rotateTitle(name)} onClose={onClose}>
      <p>{words.rotateHint}</p>
      <div class="actions">
        <Button text={words.cancel} onClick={onClose} />
        <Button text={words.endOld} kind="danger" onClick={() => rotate(true)} />
        <Button text={words.makeSecret} kind="primary" onClick={() => rotate(false)} />
      </div>
    </Dialog>
  );
}
