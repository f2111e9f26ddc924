import { useState } from "preact/hooks";
import type { WebhookEndpoint } from "../../../../src/resources/webhook-endpoint.js";
import { get } from "../app/call.js";
import { useLoad } from "../app/load.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Empty, Failed, Skeleton } from "../parts/states.js";
import { NewEndpoint } from "./new-endpoint.js";
import { WebhookPanel } from "./webhook-panel.js";

/** Where events are sent, and whether they arrive. */
export function Webhooks() {
  const endpoints = useLoad<WebhookEndpoint[]>("endpoints", (signal) => get("/v1/webhook-endpoints", signal));
  const [isMaking, setMaking] = useState(false);
  return (
    <div class="stack">
      {may("webhook:manage") && (
        <div class="row">
          <Button kind="primary" onClick={() => setMaking(true)}>
            New endpoint
          </Button>
        </div>
      )}
      {endpoints.error !== null && <Failed error={endpoints.error} onRetry={endpoints.reload} />}
      {endpoints.value === null && endpoints.error === null && <Skeleton height="5rem" count={2} />}
      {endpoints.value?.length === 0 && (
        <div class="panel">
          <Empty title="No webhook endpoints">
            Give the https address of a server of yours, and it is told of every stamp, customer and card.
          </Empty>
        </div>
      )}
      {endpoints.value?.map((endpoint) => (
        <WebhookPanel key={endpoint.id} endpoint={endpoint} onChanged={endpoints.reload} />
      ))}
      {isMaking && <NewEndpoint onClose={() => setMaking(false)} onMade={endpoints.reload} />}
    </div>
  );
}
