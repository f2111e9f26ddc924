import { useState } from "preact/hooks";
import type { ApiToken } from "../../../../../src/access/api-token-schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { ConfirmButton, DialogButton } from "../components/dialog.js";
import { Empty, LoadingList } from "../components/feedback.js";
import {
  createCheckboxField,
  createParsedTextField,
  createTextField,
  FormDialog,
  useForm,
} from "../components/form.js";
import { useLoad } from "../components/load.js";
import { renderCode } from "../components/with-code.js";
import { scopes as scopeTexts, tokens as words } from "../words/en/tokens.js";
import { createScopesField, describeScopes, ScopeChips } from "./scopes.js";
import { type Secret, SecretDialog } from "./secret.js";

const fields = {
  name: createTextField(words.name, { maxLength: 100, hint: words.nameHint }),
  scopes: createScopesField(words.may),
  expiresAt: createParsedTextField(words.expiresLabel, (day) => day, { type: "date" }, getDefaultExpiry()),
  neverExpires: createCheckboxField(words.neverExpires),
  allowedAddresses: createParsedTextField(words.usedFrom, splitList, {
    hint: words.usedFromHint,
  }),
};

export function Tokens() {
  const tokens = useLoad("tokens", (calls) => calls.apiTokens.list());
  return (
    <div class="stack">
      {hasScopes("api_token:manage") && (
        <div class="row">
          <DialogButton
            text={words.fresh}
            kind="primary"
            dialog={(close) => <NewToken onClose={close} onCreated={tokens.reload} />}
          />
        </div>
      )}
      <LoadingList data={tokens} empty={<Empty title={words.none} />}>
        {(token) => <TokenItem key={token.id} token={token} onRevoked={tokens.reload} />}
      </LoadingList>
    </div>
  );
}

function TokenItem({ token, onRevoked }: { readonly token: ApiToken; readonly onRevoked: () => void }) {
  const { id, name, prefix, scopes, createdAt, lastUsedAt, expiresAt, allowedAddresses } = token;
  return (
    <li>
      <div class="grow">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          <code>{prefix}…</code>
        </p>
        <p class="quiet">
          {describeScopes(scopes)} · {words.made(createdAt)} ·{" "}
          {lastUsedAt === null ? words.neverUsed : words.used(lastUsedAt)}
          {expiresAt !== null && ` · ${words.expires(expiresAt)}`}
          {allowedAddresses !== null && ` · ${words.from(allowedAddresses.join(", "))}`}
        </p>
        <details>
          <summary class="quiet">{scopeTexts.title}</summary>
          <ScopeChips scopes={scopes} />
        </details>
      </div>
      <ConfirmButton
        kind="plain"
        text={words.revoke}
        title={words.revokeTitle(name)}
        confirmText={words.revokeVerb(name)}
        call={() => api.apiTokens.delete(id)}
        successMessage={words.wasRevoked(name)}
        onDone={onRevoked}
      >
        <p>{renderCode(words.revokeHint(prefix))}</p>
        <CreatedByToken tokenId={id} />
      </ConfirmButton>
    </li>
  );
}

/** Shows which grants end with a token, and which resources created with it remain. */
function CreatedByToken({ tokenId }: { readonly tokenId: string }) {
  const created = useLoad(tokenId, (calls) => calls.apiTokens.listCreated(tokenId));
  if (created.error !== null) return <p class="quiet">{words.madeUnknown}</p>;
  if (created.value === null) return null;
  const { apiTokens, apps, grants, webhookEndpointIds } = created.value;
  const remaining = [
    ...apiTokens.map(({ id, name }) => ({ id, name, kindText: words.token })),
    ...apps.map(({ id, name }) => ({ id, name, kindText: words.app })),
    ...webhookEndpointIds.map((id) => ({ id, name: id, kindText: words.endpoint })),
  ];
  return (
    <>
      {grants.length > 0 && <p>{words.grantsEnd(grants.length)}</p>}
      {remaining.length > 0 && (
        <>
          <p>{words.stays}</p>
          <ul>
            {remaining.map(({ id, name, kindText }) => (
              <li key={id}>
                {kindText} <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** A dialog that creates an API token with some or all of the user's scopes and then shows the token once. */
function NewToken({ onClose, onCreated }: { readonly onClose: () => void; readonly onCreated: () => void }) {
  const [secret, setSecret] = useState<Secret | null>(null);
  const form = useForm(fields, {
    send: async ({ neverExpires, expiresAt, ...values }) => {
      const expiryTime = neverExpires ? null : new Date(`${expiresAt}T23:59:59`).toISOString();
      const { token } = await api.apiTokens.create({ ...values, expiresAt: expiryTime });
      onCreated();
      setSecret({ title: words.shownTitle(values.name), secret: token });
    },
  });
  if (secret !== null) return <SecretDialog {...secret} onClose={onClose} />;
  const isEndless = form.values.neverExpires;
  const expiryAttributes = { required: !isEndless, disabled: isEndless, ...(isEndless && { value: "" }) };
  return (
    <FormDialog title={words.newTitle} submitText={words.make} form={form} isWide onClose={onClose}>
      {form.controls([], { expiresAt: expiryAttributes })}
    </FormDialog>
  );
}

/** Splits text at commas and white space; returns `null` if it is blank. */
function splitList(text: string): string[] | null {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  return parts.length === 0 ? null : parts;
}

/** Returns the date a year from now as the default expiry, so that a forgotten token eventually expires. */
function getDefaultExpiry(): string {
  const day = new Date();
  day.setFullYear(day.getFullYear() + 1);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}
