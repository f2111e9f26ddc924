import { useState } from "preact/hooks";
import type { WebhookEndpoint } from "../../../../src/resources/webhook-endpoint.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { Button } from "../parts/button.js";
import { ConfirmButton, DialogButton } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Empty, Loading } from "../parts/states.js";
import { attempt, tell } from "../parts/toasts.js";
import { Deliveries } from "./deliveries.js";
import { NewEndpoint } from "./new-endpoint.js";

/** The webhook endpoints of the organization, each with its deliveries. */
export function Webhooks() {
  const endpoints = useLoad("endpoints", (calls) => calls.webhooks.list());
  const none = (
    <Empty isPanel title="No webhook endpoints">
      Give the https address of a server of yours, and it is told of every stamp, customer and card.
    </Empty>
  );
  return (
    <div class="stack">
      {may("webhook:manage") && (
        <div class="row">
          <DialogButton
            text="New endpoint"
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

const reasons = {
  requested: "disabled",
  gone: "disabled, as it said that it is gone",
  failing: "disabled, as it failed for days",
} as const;

function EndpointPanel({ endpoint, onChanged }: EndpointPanelProps) {
  const { id, url, types, isDisabled, disabledReason } = endpoint;
  const [turn, setTurn] = useState(0);
  const run = (work: () => Promise<unknown>, said: string) =>
    attempt(async () => {
      await work();
      tell(said);
      setTurn((before) => before + 1);
      onChanged();
    });
  const test = () => run(() => api.webhooks.test(id), "A test event is on its way");
  const toggle = () =>
    run(() => api.webhooks.update(id, { isDisabled: !isDisabled }), isDisabled ? "Enabled" : "Disabled");
  return (
    <section class="panel padded stack" aria-label={url}>
      <div class="row spread">
        <div>
          <h2>
            <bdi>{url}</bdi>
          </h2>
          <p class="quiet">{types === null ? "All events" : types.join(", ")}</p>
        </div>
        <span class={`chip ${isDisabled ? "warn" : "good"}`}>
          {isDisabled ? reasons[disabledReason ?? "requested"] : "enabled"}
        </span>
      </div>
      <div class="row">
        <Button text="Send a test" disabled={isDisabled} onClick={() => void test()} />
        <Button text={isDisabled ? "Enable" : "Disable"} onClick={() => void toggle()} />
        <ConfirmButton
          kind="plain"
          text="Remove"
          title="Remove this endpoint?"
          verb={`Remove ${url}`}
          call={() => api.webhooks.delete(id)}
          said="The endpoint was removed"
          onDone={onChanged}
        >
          <p>Its deliveries go too, and what is on its way to it is given up. This can’t be undone.</p>
        </ConfirmButton>
      </div>
      <Deliveries endpoint={endpoint} turn={turn} onReplayed={() => setTurn((before) => before + 1)} />
    </section>
  );
}
