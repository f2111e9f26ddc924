import { useState } from "preact/hooks";
import { eventTypes } from "../../../../../src/base/event-types.js";
import type { WebhookDelivery } from "../../../../../src/webhooks/delivery-schema.js";
import type { WebhookEndpoint } from "../../../../../src/webhooks/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { createChecklistField } from "../components/checklist.js";
import { ConfirmButton, DialogButton } from "../components/dialog.js";
import { RelativeTime } from "../components/events.js";
import { Empty, Loading } from "../components/feedback.js";
import { createTextField, FormDialog, useForm } from "../components/form.js";
import { useInterval, useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { deliveries as deliveriesWords, webhooks as words } from "../words/en/webhooks.js";
import { EventData } from "./event-row.js";
import { type Secret, SecretDialog } from "./secret.js";

const RELOAD_MS = 5_000;

const chips = { pending: "warn", delivered: "good", failed: "bad" } as const;

const fields = {
  url: createTextField(words.url, { inputMode: "url", placeholder: words.urlExample }),
  types: createChecklistField(words.types, eventTypes),
};

/** Lists the organization's webhook endpoints, each with its deliveries. */
export function Webhooks() {
  const endpoints = useLoad("endpoints", (calls) => calls.webhooks.list());
  const emptyState = (
    <Empty isPanel title={words.none}>
      {words.noneHint}
    </Empty>
  );
  return (
    <div class="stack">
      {hasScopes("webhook:manage") && (
        <div class="row">
          <DialogButton
            text={words.fresh}
            kind="primary"
            dialog={(close) => <NewEndpoint onClose={close} onCreated={endpoints.reload} />}
          />
        </div>
      )}
      <Loading data={endpoints} height="5rem" count={3} empty={emptyState}>
        {(list) =>
          list.map((endpoint) => (
            <EndpointPanel key={endpoint.id} endpoint={endpoint} onChanged={endpoints.reload} />
          ))
        }
      </Loading>
    </div>
  );
}

interface EndpointPanelProps {
  readonly endpoint: WebhookEndpoint;
  readonly onChanged: () => void;
}

function EndpointPanel({ endpoint, onChanged }: EndpointPanelProps) {
  const { id, url, types, isDisabled, disabledReason } = endpoint;
  const [reloadCount, setReloadCount] = useState(0);
  const run = (task: () => Promise<unknown>, message: string) =>
    runWithToast(async () => {
      await task();
      showToast(message);
      setReloadCount((previous) => previous + 1);
      onChanged();
    });
  const test = () => run(() => api.webhooks.test(id), words.tested);
  const toggle = () =>
    run(
      () => api.webhooks.update(id, { isDisabled: !isDisabled }),
      isDisabled ? words.wasEnabled : words.wasDisabled,
    );
  return (
    <section class="panel padded stack" aria-label={url}>
      <div class="row spread">
        <div>
          <h2>
            <bdi>{url}</bdi>
          </h2>
          <p class="quiet">{types === null ? words.allEvents : types.join(", ")}</p>
        </div>
        <span class={`chip ${isDisabled ? "warn" : "good"}`}>
          {isDisabled ? words[disabledReason ?? "requested"] : words.enabled}
        </span>
      </div>
      <div class="row">
        <Button text={words.test} disabled={isDisabled} onClick={() => void test()} />
        <Button text={isDisabled ? words.enable : words.disable} onClick={() => void toggle()} />
        <ConfirmButton
          kind="plain"
          text={words.remove}
          title={words.removeTitle}
          confirmText={words.removeVerb(url)}
          call={() => api.webhooks.delete(id)}
          successMessage={words.wasRemoved}
          onDone={onChanged}
        >
          <p>{words.removeHint}</p>
        </ConfirmButton>
      </div>
      <Deliveries
        endpoint={endpoint}
        reloadCount={reloadCount}
        onReplayed={() => setReloadCount((previous) => previous + 1)}
      />
    </section>
  );
}

interface NewEndpointProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** A dialog that adds a webhook endpoint and then shows the endpoint's secret once. */
function NewEndpoint({ onClose, onCreated }: NewEndpointProps) {
  const [createdSecret, setCreatedSecret] = useState<Secret | null>(null);
  const form = useForm(fields, {
    send: async ({ url, types }) => {
      const { secret } = await api.webhooks.create({ url, types: types.length === 0 ? null : [...types] });
      onCreated();
      const purpose = words.secretUse;
      setCreatedSecret({ title: words.secretTitle, purpose, secret });
    },
  });
  if (createdSecret !== null) return <SecretDialog {...createdSecret} onClose={onClose} />;
  return <FormDialog title={words.newTitle} submitText={words.add} form={form} isWide onClose={onClose} />;
}

interface DeliveriesProps {
  readonly endpoint: WebhookEndpoint;
  /** A number that reloads the list whenever it changes. */
  readonly reloadCount: number;
  readonly onReplayed: () => void;
}

/** Lists the most recent deliveries to a webhook endpoint, and keeps the list up to date. */
function Deliveries({ endpoint, reloadCount, onReplayed }: DeliveriesProps) {
  const { id: endpointId, isDisabled } = endpoint;
  const deliveries = useLoad(`${endpointId} ${reloadCount}`, (calls) =>
    calls.webhooks.deliveries(endpointId, { limit: 10 }),
  );
  useInterval(RELOAD_MS, deliveries.reload);
  const replay = (deliveryId: string) =>
    runWithToast(async () => {
      await api.webhooks.replay(endpointId, { deliveryId });
      showToast(deliveriesWords.replayed);
      onReplayed();
    });
  return (
    <div class="stack tight">
      <h3>{deliveriesWords.title}</h3>
      <Loading data={deliveries}>
        {({ content }) => (
          <>
            {content.length === 0 && <p class="quiet">{deliveriesWords.none}</p>}
            <ul class="history">
              {content.map((delivery) => (
                <DeliveryRow
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

interface DeliveryRowProps {
  readonly delivery: WebhookDelivery;
  /** Whether the endpoint is disabled, in which case nothing is sent to it. */
  readonly isDisabled: boolean;
  readonly onReplay: () => void;
}

function DeliveryRow({ delivery, isDisabled, onReplay }: DeliveryRowProps) {
  const { eventType, eventId, status, attempts, createdAt } = delivery;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <span class={`chip ${chips[status]}`}>{deliveriesWords[status]}</span>
      <span class="grow">
        <code>{eventType}</code>
        <br />
        <span class="quiet">{describeState(delivery)}</span>
      </span>
      <RelativeTime at={createdAt} />
      <Button text={deliveriesWords.replay} disabled={isDisabled} onClick={onReplay} />
      <details class="attempts" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="quiet">{deliveriesWords.details}</summary>
        {isOpen && (
          <div class="stack tight event">
            {attempts.length > 0 && (
              <ol>
                {attempts.map(({ number, startedAt, duration, status: code, answer, error }) => (
                  <li key={number} class="attempt">
                    <RelativeTime at={startedAt} />
                    <span class="quiet"> · {deliveriesWords.took(duration)} · </span>
                    <bdi>
                      {[code ?? error, answer].filter((each) => each !== null && each !== "").join(" ")}
                    </bdi>
                  </li>
                ))}
              </ol>
            )}
            {eventType === "webhook.test" ? (
              <p class="quiet">{deliveriesWords.ofTest}</p>
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
    <Loading data={event} height="6rem" missing={<p class="quiet">{deliveriesWords.eventGone}</p>}>
      {(loadedEvent) => <EventData event={loadedEvent} />}
    </Loading>
  );
}

/** Describes a delivery's state: the number of attempts, the last response, and the time of the next attempt. */
function describeState({ attempts, nextAttemptAt, status }: WebhookDelivery): string {
  const lastAttempt = attempts.at(-1);
  const lastText =
    lastAttempt === undefined ? [] : [deliveriesWords.last(String(lastAttempt.status ?? lastAttempt.error))];
  const nextText =
    status === "pending" && nextAttemptAt !== null ? [deliveriesWords.next(nextAttemptAt)] : [];
  return [deliveriesWords.attempts(attempts.length), ...lastText, ...nextText].join(" · ");
}
