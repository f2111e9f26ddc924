import { useState } from "preact/hooks";
import type { WebhookEndpoint } from "../../../../../src/webhooks/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { ConfirmButton, DialogButton } from "../components/dialog.js";
import { Empty, Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { webhooks as words } from "../words/en/webhooks.js";
import { Deliveries } from "./deliveries.js";
import { NewEndpoint } from "./new-endpoint.js";

/** Lists the organization's webhook endpoints, each with its deliveries. */
export function Webhooks() {
  const endpoints = useLoad("endpoints", (calls) => calls.webhooks.list());
  const none = (
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
            dialog={(close) => <NewEndpoint onClose={close} onMade={endpoints.reload} />}
          />
        </div>
      )}
      <Loading of={endpoints} height="5rem" count={3} empty={none}>
        {(all) =>
          all.map((endpoint) => (
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
  const [turn, setTurn] = useState(0);
  const run = (work: () => Promise<unknown>, said: string) =>
    runWithToast(async () => {
      await work();
      showToast(said);
      setTurn((before) => before + 1);
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
          verb={words.removeVerb(url)}
          call={() => api.webhooks.delete(id)}
          said={words.wasRemoved}
          onDone={onChanged}
        >
          <p>{words.removeHint}</p>
        </ConfirmButton>
      </div>
      <Deliveries endpoint={endpoint} turn={turn} onReplayed={() => setTurn((before) => before + 1)} />
    </section>
  );
}
