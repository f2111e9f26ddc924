import { useState } from "preact/hooks";
import type { ApiToken } from "../../../../src/resources/api-token.js";
import { get, remove } from "../app/call.js";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { LoadedList } from "../parts/loaded-list.js";
import { Empty } from "../parts/states.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { counted, dayText } from "../parts/words.js";
import { MadeByToken } from "./made-by-token.js";
import { MakeNew } from "./making-dialog.js";
import { NewToken } from "./new-token.js";
import { ScopeChips } from "./scope-chips.js";

/** The API tokens of the organization. */
export function Tokens() {
  const tokens = useLoad<ApiToken[]>("tokens", (signal) => get("/v1/api-keys", signal));
  const [doomed, setDoomed] = useState<ApiToken | null>(null);
  const revoke = async ({ id, name }: ApiToken) => {
    setDoomed(null);
    try {
      await remove(`/v1/api-keys/${id}`);
      tokens.reload();
      tell(`The token “${name}” was revoked`);
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <div class="stack">
      <MakeNew scope="api_token:manage" text="New token">
        {(close) => <NewToken onClose={close} onMade={tokens.reload} />}
      </MakeNew>
      <LoadedList list={tokens} height="3rem" empty={<Empty title="No tokens" />}>
        {(all) => (
          <ul class="panel list">
            {all.map((token) => (
              <li key={token.id}>
                <div class="grow">
                  <p>
                    <strong>
                      <bdi>{token.name}</bdi>
                    </strong>{" "}
                    <code>{token.prefix}…</code>
                  </p>
                  <p class="quiet">
                    {counted(token.scopes.length, "scope")} · made {dayText(token.createdAt)} ·{" "}
                    {token.lastUsedAt === null ? "never used" : `used ${dayText(token.lastUsedAt)}`}
                    {token.expiresAt !== null && ` · expires ${dayText(token.expiresAt)}`}
                    {token.allowedAddresses !== null && ` · from ${token.allowedAddresses.join(", ")}`}
                  </p>
                  <details>
                    <summary class="quiet">Scopes</summary>
                    <ScopeChips scopes={token.scopes} />
                  </details>
                </div>
                <Button kind="plain" onClick={() => setDoomed(token)}>
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
      {doomed !== null && (
        <Confirm
          title={`Revoke “${doomed.name}”?`}
          verb={`Revoke ${doomed.name}`}
          onConfirm={() => void revoke(doomed)}
          onClose={() => setDoomed(null)}
        >
          <p>
            Programs that use <code>{doomed.prefix}…</code> are refused from now on. So are you, if you signed
            in with it. This can’t be undone.
          </p>
          <MadeByToken tokenId={doomed.id} />
        </Confirm>
      )}
    </div>
  );
}
