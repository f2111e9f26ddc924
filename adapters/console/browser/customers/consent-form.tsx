import type {
  MessageChannel,
  PutSubscription,
  Subscription,
} from "../../../../src/resources/subscription.js";
import { callErrorOf } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { FormDialog, optionalText, parsedText, text, useForm } from "../parts/form.js";
import { tell } from "../parts/toasts.js";
import { momentText } from "../words/en/forms.js";
import { channelNames, isOwnEnd, sources } from "./consent-words.js";

interface SubscriptionFormProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
  readonly onSaved: (subscription: Subscription) => void;
}

const consentFields = {
  text: text("The words that the customer agreed to", {
    rows: 4,
    maxLength: 2_000,
    hint: "As they stood on the form, or were said. They are the proof of it.",
  }),
  at: parsedText("When", (typed) => (typed === "" ? null : new Date(typed).toISOString()), {
    type: "datetime-local",
  }),
};

/** Notes that a customer has agreed to messages, with the words and the time. */
export function ConsentForm({
  channel,
  subscription,
  onClose,
  onSaved,
}: SubscriptionFormProps & { readonly channel: MessageChannel }) {
  const consent = subscription[channel];
  const isEnded = isOwnEnd(consent);
  const form = useForm(consentFields, {
    send: async ({ text, at }) => {
      const put = { status: "SUBSCRIBED" as const, text, ...(at !== null && { at }) };
      try {
        onSaved(
          await api.subscriptions.put(subscription.userId, { [channel]: put } satisfies PutSubscription),
        );
      } catch (error) {
        throw callErrorOf(error).within(channel);
      }
      onClose();
      tell("The consent was noted");
    },
  });
  return (
    <FormDialog
      title={`${channelNames[channel]}: a consent`}
      verb="Note the consent"
      form={form}
      onClose={onClose}
    >
      {isEnded && (
        <p class="note warn">
          Ended {consent.at !== null && `on ${momentText(consent.at)}, `}
          {consent.source !== null && sources[consent.source]}. Only a consent that was given after that
          counts.
        </p>
      )}
      {form.controls([], { at: { hint: isEnded ? "After they ended it." : "Now, unless given." } })}
    </FormDialog>
  );
}

const languageFields = {
  language: optionalText("Language", { hint: "Such as en, de or pt-BR. Empty: that of the card." }),
};

/** Changes the language that a customer is written to in. */
export function LanguageForm({ subscription, onClose, onSaved }: SubscriptionFormProps) {
  const form = useForm(languageFields, {
    saved: subscription,
    send: async (sent) => {
      onSaved(await api.subscriptions.put(subscription.userId, sent));
      onClose();
      tell("Saved");
    },
  });
  return <FormDialog title="Language of mails" verb="Save" form={form} onClose={onClose} />;
}
