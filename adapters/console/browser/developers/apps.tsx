import type { App } from "../../../../src/resources/app.js";
import { get } from "../app/call.js";
import { useLoad } from "../parts/load.js";
import { LoadedList } from "../parts/loaded-list.js";
import { Empty } from "../parts/states.js";
import { AppLine } from "./app-line.js";
import { Grants } from "./grants.js";
import { MakeNew } from "./making-dialog.js";
import { NewApp } from "./new-app.js";

/** The OAuth apps of the organization, and what its users allow apps. */
export function Apps() {
  const apps = useLoad<App[]>("apps", (signal) => get("/v1/apps", signal));
  const none = (
    <div class="panel">
      <Empty title="No apps">
        A program that works for people of other organizations asks them through OAuth. Register it here
        first.
      </Empty>
    </div>
  );
  return (
    <div class="stack">
      <MakeNew scope="api_token:manage" text="New app">
        {(close) => <NewApp onClose={close} onMade={apps.reload} />}
      </MakeNew>
      <LoadedList list={apps} height="3rem" empty={none}>
        {(all) => (
          <ul class="panel list">
            {all.map((app) => (
              <AppLine key={app.id} app={app} onChanged={apps.reload} />
            ))}
          </ul>
        )}
      </LoadedList>
      {apps.value !== null && <Grants apps={apps.value} />}
    </div>
  );
}
