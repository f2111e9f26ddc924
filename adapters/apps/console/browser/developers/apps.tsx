import { useState } from "preact/hooks";
import type { App, Grant } from "../../../../../src/access/app-schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { ConfirmButton, Dialog, DialogButton } from "../components/dialog.js";
import { Empty, LoadingList } from "../components/feedback.js";
import {
  createCheckboxField,
  createParsedTextField,
  createTextField,
  FormDialog,
  useForm,
} from "../components/form.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { grants as grantsWords, apps as words } from "../words/en/apps.js";
import { createScopesField, describeScopes, ScopeChips } from "./scopes.js";
import { type Secret, SecretDialog } from "./secret.js";

const fields = {
  name: createTextField(words.name, { maxLength: 100, hint: words.nameHint }),
  isPublic: createCheckboxField(words.isPublic, words.isPublicHint),
  redirectUris: createParsedTextField(
    words.redirectUris,
    (input) => input.split(/\s+/).filter((uri) => uri !== ""),
    {
      rows: 2,
      inputMode: "url",
      spellcheck: false,
    },
  ),
  scopes: createScopesField(words.may),
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

/** Lists the organization's OAuth apps, and the grants that give apps access to the organization's data. */
export function Apps() {
  const apps = useLoad("apps", (calls) => calls.apps.list());
  const emptyState = (
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
            dialog={(close) => <NewApp onClose={close} onCreated={apps.reload} />}
          />
        </div>
      )}
      <LoadingList data={apps} empty={emptyState}>
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
          {describeScopes(scopes)} · {words.registered(createdAt)}
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
          confirmText={words.deleteVerb(name)}
          call={() => api.apps.delete(id)}
          successMessage={words.wasDeleted(name)}
          onDone={onChanged}
        >
          <p>{words.deleteHint}</p>
        </ConfirmButton>
      </div>
      {secret !== null && (
        <SecretDialog
          title={words.newSecretTitle(name)}
          purpose={words.provesWho}
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

/**
 * A dialog that registers an app with some or all of the user's own scopes. If the app isn't public, the dialog then shows the
 * app's secret once.
 */
function NewApp({ onClose, onCreated }: { readonly onClose: () => void; readonly onCreated: () => void }) {
  const [secret, setSecret] = useState<Secret | null>(null);
  const form = useForm(fields, {
    send: async ({ scopes, ...values }) => {
      const { app, clientSecret } = await api.apps.create({ ...values, scopes: [...scopes] });
      onCreated();
      if (clientSecret === null) {
        showToast(words.wasRegistered(app.name));
        return onClose();
      }
      const purpose = words.provesId(app.id);
      setSecret({ title: words.secretTitle(app.name), purpose, secret: clientSecret });
    },
  });
  if (secret !== null) return <SecretDialog {...secret} onClose={onClose} />;
  return (
    <FormDialog title={words.fresh} submitText={words.register} form={form} isWide onClose={onClose}>
      {form.controls([], { redirectUris: redirectUris[form.values.isPublic ? "public" : "confidential"] })}
    </FormDialog>
  );
}

/**
 * Lists the grants that give apps access to the organization's data. Shows the name of each app that the organization registered
 * itself, and the ID of any other app.
 */
function Grants({ apps }: { readonly apps: readonly App[] }) {
  const grants = useLoad("grants", (calls) => calls.grants.list());
  return (
    <section class="stack tight" aria-label={grantsWords.title}>
      <h2>{grantsWords.title}</h2>
      <LoadingList data={grants} empty={<p class="quiet">{grantsWords.none}</p>}>
        {(grant) => (
          <GrantItem
            key={grant.id}
            grant={grant}
            name={apps.find(({ id }) => id === grant.appId)?.name ?? grant.appId}
            onEnded={grants.reload}
          />
        )}
      </LoadingList>
    </section>
  );
}

interface GrantItemProps {
  readonly grant: Grant;
  /** The app's name, or its ID if the name is unknown. */
  readonly name: string;
  readonly onEnded: () => void;
}

function GrantItem({ grant: { id, subject, scopes, createdAt, expiresAt }, name, onEnded }: GrantItemProps) {
  return (
    <li>
      <div class="grow">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          {grantsWords.by} <bdi>{subject}</bdi>
        </p>
        <p class="quiet">
          {grantsWords.since(createdAt)}
          {expiresAt !== null && ` · ${grantsWords.until(expiresAt)}`}
        </p>
        <ScopeChips scopes={scopes} />
      </div>
      <ConfirmButton
        kind="plain"
        text={grantsWords.end}
        title={grantsWords.endTitle(name)}
        confirmText={grantsWords.endVerb(subject)}
        call={() => api.grants.delete(id)}
        successMessage={grantsWords.wasEnded(name, subject)}
        onDone={onEnded}
      >
        <p>{grantsWords.endHint(subject)}</p>
      </ConfirmButton>
    </li>
  );
}
