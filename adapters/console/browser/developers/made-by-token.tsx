import type { MadeByToken as Made } from "../../../../src/resources/made-by-token.js";
import { get } from "../app/call.js";
import { useLoad } from "../parts/load.js";
import { counted } from "../parts/words.js";

/** What ends with a token when it is revoked, and what it made that stays. */
export function MadeByToken({ tokenId }: { readonly tokenId: string }) {
  const made = useLoad<Made>(`made:${tokenId}`, (signal) => get(`/v1/api-keys/${tokenId}/made`, signal));
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
