import { useState } from "preact/hooks";
import type { WebhookDelivery } from "../../../../../src/webhooks/delivery-schema.js";
import type { WebhookEndpoint } from "../../../../../src/webhooks/schema.js";
import { api } from "../api/calls.js";
import { Button } from "../components/button.js";
import { RelativeTime } from "../components/events.js";
import { Loading } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { deliveries as words } from "../words/en/webhooks.js";
import { EventData } from "./event-row.js";

const RELOAD_MS = 5_000;

const chips = { pending: "warn", delivered: "good", failed: "bad" } as const;

interface DeliveriesProps {
  readonly endpoint: WebhookEndpoint;
  /** A number that reloads the list whenever it changes. */
  readonly turn: number;
  readonly onReplayed: () => void;
}

/** Lists the most recent deliveries to a webhook endpoint, and keeps the list up to date. */
export function Deliveries({ endpoint, turn, onReplayed }: DeliveriesProps) {
  const { id: endpointId, isDisabled } = endpoint;
  const deliveries = useLoad(`${endpointId} ${turn}`, (calls) =>
    calls.webhooks.deliveries(endpointId, { limit: 10 }),
  );
  useInterval(RELOAD_MS, deliveries.reload);
  const replay = (deliveryId: string) =>
    runWithToast(async () => {
      await api.webhooks.replay(endpointId, { deliveryId });
      showToast(words.replayed);
      onReplayed();
    });
  return (
    <div class="stack tight">
      <h3>{words.title}</h3>
      <Loading of={deliveries}>
        {({ content }) => (
          <>
            {content.length === 0 && <p class="quiet">{words.none}</p>}
            <ul class="history">
              {content.map((delivery) => (
                <DeliveryLine
                  key={delivery.id}
                  delivery={delivery}
                  isDisabled={isDisabled}
                  onReplay={() => void replay(delivery.id)}
                />
              ))}
            </ul>
          </>
        )}
      </Loading>
    </div>
  );
}

interface DeliveryLineProps {
  readonly delivery: WebhookDelivery;
  /** Whether the endpoint is disabled, in which case nothing is sent to it. */
  readonly isDisabled: boolean;
  readonly onReplay: () => void;
}

function DeliveryLine({ delivery, isDisabled, onReplay }: DeliveryLineProps) {
  const { eventType, eventId, status, attempts, createdAt } = delivery;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <span class={`chip ${chips[status]}`}>{words[status]}</span>
      <span class="grow">
        <code>{eventType}</code>
        <br />
        <span class="quiet">{stateText(delivery)}</span>
      </span>
      <RelativeTime at={createdAt} />
      <Button text={words.replay} disabled={isDisabled} onClick={onReplay} />
      <details class="attempts" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="quiet">{words.details}</summary>
        {isOpen && (
          <div class="stack tight event">
            {attempts.length > 0 && (
              <ol>
                {attempts.map(({ number, startedAt, duration, status: code, answer, error }) => (
                  <li key={number} class="attempt">
                    <RelativeTime at={startedAt} />
                    <span class="quiet"> · {words.took(duration)} · </span>
                    <bdi>
                      {[code ?? error, answer].filter((each) => each !== null && each !== "").join(" ")}
                    </bdi>
                  </li>
                ))}
              </ol>
            )}
            {eventType === "webhook.test" ? (
              <p class="quiet">{words.ofTest}</p>
            ) : (
              <Payload eventId={eventId} />
            )}
          </div>
        )}
      </details>
    </li>
  );
}

function Payload({ eventId }: { readonly eventId: string }) {
  const event = useLoad(eventId, (calls) => calls.events.get(eventId));
  return (
    <Loading of={event} height="6rem" missing={<p class="quiet">{words.eventGone}</p>}>
      {(found) => <EventData event={found} />}
    </Loading>
  );
}

/** Describes a delivery's state: the number of attempts, the last response, and the time of the next attempt. */
function stateText({ attempts, nextAttemptAt, status }: WebhookDelivery): string {
  const last = attempts.at(-1);
  const said = last === undefined ? [] : [words.last(String(last.status ?? last.error))];
  const next = status === "pending" && nextAttemptAt !== null ? [words.next(nextAttemptAt)] : [];
  return [words.attempts(attempts.length), ...said, ...next].join(" · ");
}
