import type { ApiToken } from "../../../../../src/access/api-token-schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { ConfirmButton, DialogButton } from "../components/dialog.js";
import { Empty, LoadingList } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { withCode } from "../components/with-code.js";
import { scopes as scopeTexts, tokens as words } from "../words/en/tokens.js";
import { NewToken } from "./new-token.js";
import { ScopeChips, scopesText } from "./scopes.js";

export function Tokens() {
  const tokens = useLoad("tokens", (calls) => calls.apiTokens.list());
  return (
    <div class="stack">
      {hasScopes("api_token:manage") && (
        <div class="row">
          <DialogButton
            text={words.fresh}
            kind="primary"
            dialog={(close) => <NewToken onClose={close} onMade={tokens.reload} />}
          />
        </div>
      )}
      <LoadingList of={tokens} empty={<Empty title={words.none} />}>
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
          {scopesText(scopes)} · {words.made(createdAt)} ·{" "}
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
        verb={words.revokeVerb(name)}
        call={() => api.apiTokens.delete(id)}
        said={words.wasRevoked(name)}
        onDone={onRevoked}
      >
        <p>{withCode(words.revokeHint(prefix))}</p>
        <CreatedByToken tokenId={id} />
      </ConfirmButton>
    </li>
  );
}

/** Shows which grants end with a token, and which resources created with it remain. */
function CreatedByToken({ tokenId }: { readonly tokenId: string }) {
  const made = useLoad(tokenId, (calls) => calls.apiTokens.listCreated(tokenId));
  if (made.error !== null) return <p class="quiet">{words.madeUnknown}</p>;
  if (made.value === null) return null;
  const { apiTokens, apps, grants, webhookEndpointIds } = made.value;
  const staying = [
    ...apiTokens.map(({ id, name }) => ({ id, name, what: words.token })),
    ...apps.map(({ id, name }) => ({ id, name, what: words.app })),
    ...webhookEndpointIds.map((id) => ({ id, name: id, what: words.endpoint })),
  ];
  return (
    <>
      {grants.length > 0 && <p>{words.grantsEnd(grants.length)}</p>}
      {staying.length > 0 && (
        <>
          <p>{words.stays}</p>
          <ul>
            {staying.map(({ id, name, what }) => (
              <li key={id}>
                {what} <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
