import { api } from "../api/calls.js";
import { Button } from "../parts/button.js";
import { Moment } from "../parts/events.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Loading } from "../parts/states.js";
import { attempt, tell } from "../parts/toasts.js";
import { counted } from "../parts/words.js";

const RELOAD_MS = 5_000;

const chips = { pending: "warn", delivered: "good", failed: "bad" } as const;

interface DeliveriesProps {
  readonly endpointId: string;
  /** Changes when there is something new. */
  readonly turn: number;
  readonly onReplayed: () => void;
}

/** The latest deliveries to an endpoint, as they go. */
export function Deliveries({ endpointId, turn, onReplayed }: DeliveriesProps) {
  const deliveries = useLoad(`${endpointId} ${turn}`, (calls) =>
    calls.webhooks.deliveries(endpointId, { limit: 10 }),
  );
  useEvery(RELOAD_MS, deliveries.reload);
  const replay = (deliveryId: string) =>
    attempt(async () => {
      await api.webhooks.replay(endpointId, { deliveryId });
      tell("It is sent once more");
      onReplayed();
    });
  return (
    <div class="stack tight">
      <h3>Deliveries</h3>
      <Loading of={deliveries}>
        {({ content }) => (
          <>
            {content.length === 0 && <p class="quiet">Nothing was sent yet.</p>}
            <ul class="history">
              {content.map(({ id, eventType, status, attempts, createdAt }) => {
                const last = attempts.at(-1);
                return (
                  <li key={id}>
                    <span class={`chip ${chips[status]}`}>{status}</span>
                    <span class="grow">
                      <code>{eventType}</code>{" "}
                      <span class="quiet">
                        {counted(attempts.length, "attempt")}
                        {last !== undefined && ` · ${last.status ?? last.error}`}
                      </span>
                    </span>
                    <Moment at={createdAt} />
                    {status !== "pending" && <Button text="Replay" onClick={() => void replay(id)} />}
                  </li>
                );
              })}
            </ul>
          </>
        )}
      </Loading>
    </div>
  );
}
