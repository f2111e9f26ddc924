import { useState } from "preact/hooks";
import type { App } from "../../../../src/resources/app.js";
import { get } from "../app/call.js";
import { useLoad } from "../app/load.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Empty, Failed, Skeleton } from "../parts/states.js";
import { AppLine } from "./app-line.js";
import { Grants } from "./grants.js";
import { NewApp } from "./new-app.js";

/** The OAuth apps of the organization, and what its users allow apps. */
export function Apps() {
  const apps = useLoad<App[]>("apps", (signal) => get("/v1/apps", signal));
  const [isMaking, setMaking] = useState(false);
  return (
    <div class="stack">
      {may("api_token:manage") && (
        <div class="row">
          <Button kind="primary" onClick={() => setMaking(true)}>
            New app
          </Button>
        </div>
      )}
      {apps.error !== null && <Failed error={apps.error} onRetry={apps.reload} />}
      {apps.value === null && apps.error === null && <Skeleton height="3rem" count={3} />}
      {apps.value?.length === 0 && (
        <div class="panel">
          <Empty title="No apps">
            A program that works for people of other organizations asks them through OAuth. Register it here
            first.
          </Empty>
        </div>
      )}
      {apps.value !== null && apps.value.length > 0 && (
        <ul class="panel list">
          {apps.value.map((app) => (
            <AppLine key={app.id} app={app} onChanged={apps.reload} />
          ))}
        </ul>
      )}
      {apps.value !== null && <Grants apps={apps.value} />}
      {isMaking && <NewApp onClose={() => setMaking(false)} onMade={apps.reload} />}
    </div>
  );
}
