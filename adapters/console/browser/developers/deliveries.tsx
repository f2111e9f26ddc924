import type { WebhookDeliveryPage } from "../../../../src/resources/webhook-delivery.js";
import { get, post } from "../app/call.js";
import { Button } from "../parts/button.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Failed } from "../parts/states.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { counted, momentText } from "../parts/words.js";

const LOOK_MS = 5_000;

const looks = { pending: "warn", delivered: "good", failed: "bad" } as const;

interface DeliveriesProps {
  readonly endpointId: string;
  readonly turn: number;
  readonly onReplayed: () => void;
}

/** The latest deliveries to an endpoint, as they go. */
export function Deliveries({ endpointId, turn, onReplayed }: DeliveriesProps) {
  const path = `/v1/webhook-endpoints/${endpointId}`;
  const deliveries = useLoad<WebhookDeliveryPage>(`${endpointId} ${turn}`, (signal) =>
    get(`${path}/deliveries?limit=10`, signal),
  );
  useEvery(LOOK_MS, deliveries.reload);
  const replay = async (deliveryId: string) => {
    try {
      await post(`${path}/replay`, { deliveryId });
      tell("It is sent once more");
      onReplayed();
    } catch (error) {
      tellFailure(error);
    }
  };
  const page = deliveries.value;
  return (
    <div class="stack tight">
      <h3>Deliveries</h3>
      {deliveries.error !== null && <Failed error={deliveries.error} onRetry={deliveries.reload} />}
      {page?.content.length === 0 && <p class="quiet">Nothing was sent yet.</p>}
      <ul class="history">
        {page?.content.map(({ id, eventType, status, attempts, createdAt }) => {
          const last = attempts.at(-1);
          return (
            <li key={id}>
              <span class={`chip ${looks[status]}`}>{status}</span>
              <span class="grow">
                <code>{eventType}</code>{" "}
                <span class="quiet">
                  {counted(attempts.length, "attempt")}
                  {last !== undefined && ` · ${last.status ?? last.error}`}
                </span>
              </span>
              <time class="quiet number" dateTime={createdAt}>
                {momentText(createdAt)}
              </time>
              {status !== "pending" && <Button onClick={() => void replay(id)}>Replay</Button>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
