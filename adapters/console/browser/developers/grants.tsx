import type { App } from "../../../../src/resources/app.js";
import type { Grant } from "../../../../src/resources/grant.js";
import { api } from "../api/calls.js";
import { ConfirmButton } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { LoadingList } from "../parts/states.js";
import { dayText } from "../words/en/forms.js";
import { ScopeChips } from "./scopes.js";

/** The grants of people of the organization to apps: its own, and those of others, of which only the id is known. */
export function Grants({ apps }: { readonly apps: readonly App[] }) {
  const grants = useLoad("grants", (calls) => calls.grants.list());
  return (
    <section class="stack tight" aria-label="What apps are allowed">
      <h2>What apps are allowed</h2>
      <LoadingList of={grants} empty={<p class="quiet">Nobody has allowed an app anything.</p>}>
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
  /** The name of the app. */
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
          for <bdi>{subject}</bdi>
        </p>
        <p class="quiet">
          since {dayText(createdAt)}
          {expiresAt !== null && ` · until ${dayText(expiresAt)}`}
        </p>
        <ScopeChips scopes={scopes} />
      </div>
      <ConfirmButton
        kind="plain"
        text="End"
        title={`End what “${name}” is allowed?`}
        verb={`End it for ${subject}`}
        call={() => api.grants.delete(id)}
        said={`“${name}” is allowed nothing by ${subject} any more`}
        onDone={onEnded}
      >
        <p>The app is refused from now on, until {subject} allows it again.</p>
      </ConfirmButton>
    </li>
  );
}
