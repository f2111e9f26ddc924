import type { ApiToken } from "../../../../src/resources/api-token.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { ConfirmButton, DialogButton } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Empty, LoadingList } from "../parts/states.js";
import { counted, dayText } from "../words/en/forms.js";
import { NewToken } from "./new-token.js";
import { ScopeChips, scopesText } from "./scopes.js";

/** The API tokens of the organization. */
export function Tokens() {
  const tokens = useLoad("tokens", (calls) => calls.apiTokens.list());
  return (
    <div class="stack">
      {may("api_token:manage") && (
        <div class="row">
          <DialogButton
            text="New token"
            kind="primary"
            dialog={(close) => <NewToken onClose={close} onMade={tokens.reload} />}
          />
        </div>
      )}
      <LoadingList of={tokens} empty={<Empty title="No tokens" />}>
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
          {scopesText(scopes)} · made {dayText(createdAt)} ·{" "}
          {lastUsedAt === null ? "never used" : `used ${dayText(lastUsedAt)}`}
          {expiresAt !== null && ` · expires ${dayText(expiresAt)}`}
          {allowedAddresses !== null && ` · from ${allowedAddresses.join(", ")}`}
        </p>
        <details>
          <summary class="quiet">Scopes</summary>
          <ScopeChips scopes={scopes} />
        </details>
      </div>
      <ConfirmButton
        kind="plain"
        text="Revoke"
        title={`Revoke “${name}”?`}
        verb={`Revoke ${name}`}
        call={() => api.apiTokens.delete(id)}
        said={`The token “${name}” was revoked`}
        onDone={onRevoked}
      >
        <p>
          Programs that use <code>{prefix}…</code> are refused from now on. So are you, if you signed in with
          it. This can’t be undone.
        </p>
        <MadeByToken tokenId={id} />
      </ConfirmButton>
    </li>
  );
}

/** The grants that end with a token, and the resources that it made and that stay. */
function MadeByToken({ tokenId }: { readonly tokenId: string }) {
  const made = useLoad(tokenId, (calls) => calls.apiTokens.made(tokenId));
  if (made.error !== null) return <p class="quiet">What it made can’t be shown now.</p>;
  if (made.value === null) return null;
  const { apiTokens, apps, grants, webhookEndpointIds } = made.value;
  const staying = [
    ...apiTokens.map(({ id, name }) => ({ id, name, what: "token" })),
    ...apps.map(({ id, name }) => ({ id, name, what: "app" })),
    ...webhookEndpointIds.map((id) => ({ id, name: id, what: "webhook endpoint" })),
  ];
  return (
    <>
      {grants.length > 0 && <p>With it ends what it let apps do: {counted(grants.length, "grant")}.</p>}
      {staying.length > 0 && (
        <>
          <p>What it made stays until you remove it too:</p>
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
