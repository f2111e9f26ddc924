import { useState } from "preact/hooks";
import { eventTypes } from "../../../../src/event-types.js";
import type { WebhookEndpointWithSecret } from "../../../../src/resources/webhook-endpoint.js";
import { post } from "../app/call.js";
import { Field } from "../parts/field.js";
import { MakingDialog } from "./making-dialog.js";

interface NewEndpointProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Adds an endpoint, and shows its secret this once. */
export function NewEndpoint({ onClose, onMade }: NewEndpointProps) {
  const [url, setUrl] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const make = async () => {
    const types = chosen.size === 0 ? null : [...chosen];
    const input = { url: url.trim(), types };
    const { secret } = await post<WebhookEndpointWithSecret>("/v1/webhook-endpoints", input);
    onMade();
    const use = "With it your server tells that events come from here.";
    return { title: "The secret of the endpoint", use, secret };
  };
  const toggle = (type: string) => {
    const next = new Set(chosen);
    if (!next.delete(type)) next.add(type);
    setChosen(next);
  };
  return (
    <MakingDialog
      title="New webhook endpoint"
      verb="Add endpoint"
      fields={["url"]}
      make={make}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <Field label="URL" error={errorAt("url")}>
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
        </>
      )}
    </MakingDialog>
  );
}
