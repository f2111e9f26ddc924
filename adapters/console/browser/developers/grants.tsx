import { useState } from "preact/hooks";
import type { App } from "../../../../src/resources/app.js";
import type { Grant } from "../../../../src/resources/grant.js";
import { get, remove } from "../app/call.js";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { LoadedList } from "../parts/loaded-list.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { dayText } from "../parts/words.js";
import { ScopeChips } from "./scope-chips.js";

/** What people of the organization allow apps, its own and those of others, of which nothing is known but the id. */
export function Grants({ apps }: { readonly apps: readonly App[] }) {
  const grants = useLoad<Grant[]>("grants", (signal) => get("/v1/grants", signal));
  const [doomed, setDoomed] = useState<Grant | null>(null);
  const nameOf = ({ appId }: Grant) => apps.find(({ id }) => id === appId)?.name ?? appId;
  const end = async (grant: Grant) => {
    setDoomed(null);
    try {
      await remove(`/v1/grants/${grant.id}`);
      grants.reload();
      tell(`“${nameOf(grant)}” is allowed nothing by ${grant.subject} any more`);
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <section class="stack tight" aria-label="What apps are allowed">
      <h2>What apps are allowed</h2>
      <LoadedList
        list={grants}
        height="3rem"
        empty={<p class="quiet">Nobody has allowed an app anything.</p>}
      >
        {(all) => (
          <ul class="panel list">
            {all.map((grant) => (
              <li key={grant.id}>
                <div class="grow">
                  <p>
                    <strong>
                      <bdi>{nameOf(grant)}</bdi>
                    </strong>{" "}
                    for <bdi>{grant.subject}</bdi>
                  </p>
                  <p class="quiet">
                    since {dayText(grant.createdAt)}
                    {grant.expiresAt !== null && ` · until ${dayText(grant.expiresAt)}`}
                  </p>
                  <ScopeChips scopes={grant.scopes} />
                </div>
                <Button kind="plain" onClick={() => setDoomed(grant)}>
                  End
                </Button>
              </li>
            ))}
          </ul>
        )}
      </LoadedList>
      {doomed !== null && (
        <Confirm
          title={`End what “${nameOf(doomed)}” is allowed?`}
          verb={`End it for ${doomed.subject}`}
          onConfirm={() => void end(doomed)}
          onClose={() => setDoomed(null)}
        >
          <p>The app is refused from now on, until {doomed.subject} allows it again.</p>
        </Confirm>
      )}
    </section>
  );
}
