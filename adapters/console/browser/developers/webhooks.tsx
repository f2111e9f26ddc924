import type { WebhookEndpoint } from "../../../../src/resources/webhook-endpoint.js";
import { get } from "../app/call.js";
import { useLoad } from "../parts/load.js";
import { LoadedList } from "../parts/loaded-list.js";
import { Empty } from "../parts/states.js";
import { MakeNew } from "./making-dialog.js";
import { NewEndpoint } from "./new-endpoint.js";
import { WebhookPanel } from "./webhook-panel.js";

/** Where events are sent, and whether they arrive. */
export function Webhooks() {
  const endpoints = useLoad<WebhookEndpoint[]>("endpoints", (signal) => get("/v1/webhook-endpoints", signal));
  const none = (
    <div class="panel">
      <Empty title="No webhook endpoints">
        Give the https address of a server of yours, and it is told of every stamp, customer and card.
      </Empty>
    </div>
  );
  return (
    <div class="stack">
      <MakeNew scope="webhook:manage" text="New endpoint">
        {(close) => <NewEndpoint onClose={close} onMade={endpoints.reload} />}
      </MakeNew>
      <LoadedList list={endpoints} height="5rem" empty={none}>
        {(all) =>
          all.map((endpoint) => (
            <WebhookPanel key={endpoint.id} endpoint={endpoint} onChanged={endpoints.reload} />
          ))
        }
      </LoadedList>
    </div>
  );
}
