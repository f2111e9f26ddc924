import type {
  MessageChannel,
  PutSubscription,
  Subscription,
} from "../../../../../src/messages/subscription-schema.js";
import { requireCallError } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { FormDialog, optionalText, parsedText, text, useForm } from "../components/form.js";
import { showToast } from "../components/toasts.js";
import { channelNames, sources, consents as words } from "../words/en/consents.js";
import { momentText } from "../words/en/forms.js";
import { isCustomerInitiated } from "./consent-words.js";

interface SubscriptionFormProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
  readonly onSaved: (subscription: Subscription) => void;
}

const consentFields = {
  text: text(words.text, {
    rows: 4,
    maxLength: 2_000,
    hint: words.textHint,
  }),
  at: parsedText(words.when, (typed) => (typed === "" ? null : new Date(typed).toISOString()), {
    type: "datetime-local",
  }),
};

/** A form that records a customer's consent to receive messages, along with the wording and time of the consent. */
export function ConsentForm({
  channel,
  subscription,
  onClose,
  onSaved,
}: SubscriptionFormProps & { readonly channel: MessageChannel }) {
  const consent = subscription[channel];
  const isEnded = isCustomerInitiated(consent);
  const form = useForm(consentFields, {
    send: async ({ text, at }) => {
      const put = { status: "SUBSCRIBED" as const, text, ...(at !== null && { at }) };
      try {
        onSaved(
          await api.subscriptions.put(subscription.userId, { [channel]: put } satisfies PutSubscription),
        );
      } catch (error) {
        throw requireCallError(error).within(channel);
      }
      onClose();
      showToast(words.consentNoted);
    },
  });
  return (
    <FormDialog title={words.title(channelNames[channel])} verb={words.verb} form={form} onClose={onClose}>
      {isEnded && (
        <p class="note warn">
          {consent.at === null ? words.ended : words.endedOn(momentText(consent.at))}{" "}
          {consent.source !== null && sources[consent.source]}. {words.onlyAfter}
        </p>
      )}
      {form.controls([], { at: { hint: isEnded ? words.afterEnd : words.now } })}
    </FormDialog>
  );
}

const languageFields = {
  language: optionalText(words.language, { hint: words.languageHint }),
};

/** A form that changes the language of the messages that a customer receives. */
export function LanguageForm({ subscription, onClose, onSaved }: SubscriptionFormProps) {
  const form = useForm(languageFields, {
    saved: subscription,
    send: async (sent) => {
      onSaved(await api.subscriptions.put(subscription.userId, sent));
      onClose();
      showToast(words.saved);
    },
  });
  return <FormDialog title={words.languageTitle} verb={words.save} form={form} onClose={onClose} />;
}
