import { useState } from "preact/hooks";
import { eventTypes } from "../../../../src/event-types.js";
import type { WebhookEndpointWithSecret } from "../../../../src/resources/webhook-endpoint.js";
import { post } from "../app/call.js";
import { CallError } from "../app/call-error.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { ShownOnce } from "./shown-once.js";

interface NewEndpointProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Adds an endpoint, and shows its secret this once. */
export function NewEndpoint({ onClose, onMade }: NewEndpointProps) {
  const [url, setUrl] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<CallError | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const types = chosen.size === 0 ? null : [...chosen];
      const made = await post<WebhookEndpointWithSecret>("/v1/webhook-endpoints", { url: url.trim(), types });
      setSecret(made.secret);
      onMade();
    } catch (failed) {
      if (!(failed instanceof CallError)) throw failed;
      setError(failed);
    }
  };
  const toggle = (type: string) => {
    const next = new Set(chosen);
    if (!next.delete(type)) next.add(type);
    setChosen(next);
  };
  if (secret !== null) {
    return (
      <ShownOnce
        title="The secret of the endpoint"
        use="With it your server tells that events come from here."
        secret={secret}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="New webhook endpoint" isWide onClose={onClose} onSubmit={make}>
      <Field label="URL" error={error?.fields.url}>
        <input
          inputMode="url"
          placeholder="https://shop.example/hooks"
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </Field>
      <fieldset class="scopes">
        <legend class="label">Events, or all of them</legend>
        {eventTypes.map((type) => (
          <label key={type} class="check">
            <input type="checkbox" checked={chosen.has(type)} onChange={() => toggle(type)} />
            <code>{type}</code>
          </label>
        ))}
      </fieldset>
      {error !== null && error.fields.url === undefined && (
        <p class="note bad" role="alert">
          {error.message}
        </p>
      )}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit">
          Add endpoint
        </Button>
      </div>
    </Dialog>
  );
}
