import { useState } from "preact/hooks";
import type { WebhookEndpoint } from "../../../../src/resources/webhook-endpoint.js";
import { patch, post, remove } from "../app/call.js";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { Deliveries } from "./deliveries.js";

interface WebhookPanelProps {
  readonly endpoint: WebhookEndpoint;
  readonly onChanged: () => void;
}

const reasons = {
  requested: "disabled",
  gone: "disabled, as it said that it is gone",
  failing: "disabled, as it failed for days",
} as const;

/** One endpoint with its deliveries. */
export function WebhookPanel({ endpoint, onChanged }: WebhookPanelProps) {
  const { id, url, types, isDisabled, disabledReason } = endpoint;
  const [turn, setTurn] = useState(0);
  const [isDoomed, setDoomed] = useState(false);
  const path = `/v1/webhook-endpoints/${id}`;
  const run = async (work: () => Promise<unknown>, said: string) => {
    try {
      await work();
      tell(said);
      setTurn((before) => before + 1);
      onChanged();
    } catch (error) {
      tellFailure(error);
    }
  };
  const setDisabled = (isDisabled: boolean) =>
    run(() => patch(path, { isDisabled }), isDisabled ? "Disabled" : "Enabled");
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
        <Button
          disabled={isDisabled}
          onClick={() => void run(() => post(`${path}/test`), "A test event is on its way")}
        >
          Send a test
        </Button>
        <Button onClick={() => void setDisabled(!isDisabled)}>{isDisabled ? "Enable" : "Disable"}</Button>
        <Button kind="plain" onClick={() => setDoomed(true)}>
          Remove
        </Button>
      </div>
      <Deliveries endpointId={id} turn={turn} onReplayed={() => setTurn((before) => before + 1)} />
      {isDoomed && (
        <Confirm
          title="Remove this endpoint?"
          verb={`Remove ${url}`}
          onClose={() => setDoomed(false)}
          onConfirm={() => {
            setDoomed(false);
            void run(() => remove(path), "The endpoint was removed");
          }}
        >
          <p>Its deliveries go too, and what is on its way to it is given up. This can’t be undone.</p>
        </Confirm>
      )}
    </section>
  );
}
