import type { App } from "../../../../../src/access/app-schema.js";
import type { Grant } from "../../../../../src/access/grant-schema.js";
import { api } from "../api/calls.js";
import { ConfirmButton } from "../components/dialog.js";
import { LoadingList } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { grants as words } from "../words/en/apps.js";
import { ScopeChips } from "./scopes.js";

/**
 * Lists the grants that give apps access to the organization's data. Shows the name of each app that the organization registered
 * itself, and the ID of any other app.
 */
export function Grants({ apps }: { readonly apps: readonly App[] }) {
  const grants = useLoad("grants", (calls) => calls.grants.list());
  return (
    <section class="stack tight" aria-label={words.title}>
      <h2>{words.title}</h2>
      <LoadingList of={grants} empty={<p class="quiet">{words.none}</p>}>
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
          {words.by} <bdi>{subject}</bdi>
        </p>
        <p class="quiet">
          {words.since(createdAt)}
          {expiresAt !== null && ` · ${words.until(expiresAt)}`}
        </p>
        <ScopeChips scopes={scopes} />
      </div>
      <ConfirmButton
        kind="plain"
        text={words.end}
        title={words.endTitle(name)}
        verb={words.endVerb(subject)}
        call={() => api.grants.delete(id)}
        said={words.wasEnded(name, subject)}
        onDone={onEnded}
      >
        <p>{words.endHint(subject)}</p>
      </ConfirmButton>
    </li>
  );
}
