import { useState } from "preact/hooks";
import { eventTypes } from "../../../../../src/base/event-types.js";
import { api } from "../api/calls.js";
import { checklist } from "../components/checklist.js";
import { FormDialog, text, useForm } from "../components/form.js";
import { webhooks as words } from "../words/en/webhooks.js";
import { type Secret, SecretDialog } from "./secret.js";

const fields = {
  url: text(words.url, { inputMode: "url", placeholder: words.urlExample }),
  types: checklist(words.types, eventTypes),
};

interface NewEndpointProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** A dialog that adds a webhook endpoint and then shows the endpoint's secret once. */
export function NewEndpoint({ onClose, onMade }: NewEndpointProps) {
  const [shown, setShown] = useState<Secret | null>(null);
  const form = useForm(fields, {
    send: async ({ url, types }) => {
      const { secret } = await api.webhooks.create({ url, types: types.length === 0 ? null : [...types] });
      onMade();
      const use = words.secretUse;
      setShown({ title: words.secretTitle, use, secret });
    },
  });
  if (shown !== null) return <SecretDialog {...shown} onClose={onClose} />;
  return <FormDialog title={words.newTitle} verb={words.add} form={form} isWide onClose={onClose} />;
}
