import type { User } from "../../../../../src/customers/schema.js";
import type {
  MessageChannel,
  PutSubscription,
  Subscription,
} from "../../../../../src/messages/subscription-schema.js";
import { requireCallError } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { ConfirmButton, DialogButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import {
  createOptionalTextField,
  createParsedTextField,
  createTextField,
  FormDialog,
  useForm,
} from "../components/form.js";
import type { LoadedData } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import {
  channelNames,
  consentStatuses,
  sources,
  suppressions,
  consents as words,
} from "../words/en/consents.js";
import { momentText } from "../words/en/forms.js";

/** The display tone for each consent status. `good` means that the shop is allowed to send marketing messages. */
const tones: Readonly<Record<Consent["status"], "good" | "warn" | "">> = {
  NONE: "",
  PENDING: "warn",
  SUBSCRIBED: "good",
  UNSUBSCRIBED: "",
};

const consentFields = {
  text: createTextField(words.text, {
    rows: 4,
    maxLength: 2_000,
    hint: words.textHint,
  }),
  at: createParsedTextField(words.when, (input) => (input === "" ? null : new Date(input).toISOString()), {
    type: "datetime-local",
  }),
};

const languageFields = {
  language: createOptionalTextField(words.language, { hint: words.languageHint }),
};

interface SubscriptionPanelProps {
  readonly customer: User;
  readonly subscription: LoadedData<Subscription>;
}

/** Shows a customer's consents and whether their email address can receive messages. */
export function SubscriptionPanel({ customer, subscription }: SubscriptionPanelProps) {
  const address = customer.email;
  return (
    <section class="panel padded stack" aria-label={words.panel}>
      <h2>{words.panel}</h2>
      <Loading data={subscription} height="22rem">
        {(value) => (
          <>
            <AddressFacts address={address} subscription={value} onSaved={subscription.set} />
            {(["email", "wallet"] as const).map((channel) => (
              <ChannelConsent
                key={channel}
                channel={channel}
                subscription={value}
                onSaved={subscription.set}
              />
            ))}
          </>
        )}
      </Loading>
    </section>
  );
}

interface SubscriptionProps {
  readonly subscription: Subscription;
  readonly onSaved: (subscription: Subscription) => void;
}

function AddressFacts({
  address,
  subscription,
  onSaved,
}: SubscriptionProps & { readonly address: string | null }) {
  const { suppressed, emailConfirmedAt, language } = subscription;
  return (
    <>
      {suppressed !== null && (
        <p class="note warn">
          {words.suppressed(momentText(suppressed.at), suppressions[suppressed.reason])}{" "}
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>{words.address}</dt>
          <dd>
            {address === null && words.noAddress}
            {address !== null &&
              (emailConfirmedAt === null
                ? words.notConfirmed
                : words.confirmed(momentText(emailConfirmedAt)))}
          </dd>
        </div>
        <div>
          <dt>{words.language}</dt>
          <dd>
            <bdi>{language ?? words.ofCard}</bdi>
          </dd>
        </div>
      </dl>
      {hasScopes("user:update") && (
        <div class="row">
          <DialogButton
            text={words.changeLanguage}
            dialog={(close) => <LanguageForm subscription={subscription} onClose={close} onSaved={onSaved} />}
          />
        </div>
      )}
    </>
  );
}

function ChannelConsent({
  channel,
  subscription,
  onSaved,
}: SubscriptionProps & { readonly channel: MessageChannel }) {
  const consent = subscription[channel];
  const { at, source, text, status } = consent;
  const name = channelNames[channel];
  const since = [at !== null && momentText(at), source !== null && sources[source]]
    .filter(Boolean)
    .join(", ");
  const ending = status === "NONE" ? words.noteRefusal : words.noteEnd;
  const end = async () =>
    onSaved(await api.subscriptions.put(subscription.userId, { [channel]: { status: "UNSUBSCRIBED" } }));
  return (
    <section class="stack tight" aria-label={name}>
      <div class="row spread">
        <h3>{name}</h3>
        <span class={`chip ${tones[status]}`}>{consentStatuses[status]}</span>
      </div>
      {since !== "" && <p class="quiet">{since}</p>}
      {text !== null && (
        <blockquote class="consent">
          <bdi>{text}</bdi>
        </blockquote>
      )}
      {hasScopes("user:update") && (
        <div class="row">
          {status !== "SUBSCRIBED" && (
            <DialogButton
              text={isCustomerInitiated(consent) ? words.noteNewConsent : words.noteConsent}
              dialog={(close) => (
                <ConsentForm
                  channel={channel}
                  subscription={subscription}
                  onClose={close}
                  onSaved={onSaved}
                />
              )}
            />
          )}
          {status !== "UNSUBSCRIBED" && (
            <ConfirmButton
              text={ending}
              title={words.wantsNone(name)}
              confirmText={ending}
              call={end}
              successMessage={words.noted}
            >
              <p>{words.untilAgreed} </p>
            </ConfirmButton>
          )}
        </div>
      )}
    </section>
  );
}

interface SubscriptionFormProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
  readonly onSaved: (subscription: Subscription) => void;
}

/** A form that records a customer's consent to receive messages, along with the wording and time of the consent. */
function ConsentForm({
  channel,
  subscription,
  onClose,
  onSaved,
}: SubscriptionFormProps & { readonly channel: MessageChannel }) {
  const consent = subscription[channel];
  const isEnded = isCustomerInitiated(consent);
  const form = useForm(consentFields, {
    send: async ({ text, at }) => {
      const consentUpdate = { status: "SUBSCRIBED" as const, text, ...(at !== null && { at }) };
      try {
        onSaved(
          await api.subscriptions.put(subscription.userId, {
            [channel]: consentUpdate,
          } satisfies PutSubscription),
        );
      } catch (error) {
        throw requireCallError(error).stripFieldPrefix(channel);
      }
      onClose();
      showToast(words.consentNoted);
    },
  });
  return (
    <FormDialog
      title={words.title(channelNames[channel])}
      submitText={words.verb}
      form={form}
      onClose={onClose}
    >
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

/** A form that changes the language of the messages that a customer receives. */
function LanguageForm({ subscription, onClose, onSaved }: SubscriptionFormProps) {
  const form = useForm(languageFields, {
    saved: subscription,
    send: async (values) => {
      onSaved(await api.subscriptions.put(subscription.userId, values));
      onClose();
      showToast(words.saved);
    },
  });
  return <FormDialog title={words.languageTitle} submitText={words.save} form={form} onClose={onClose} />;
}

/** The status of a customer's consent to receive messages on one channel. */
type Consent = Subscription[MessageChannel];

/**
 * Returns whether the consent ended because the customer unsubscribed, rather than through the API or an import. If so, the shop
 * needs new consent before it can send messages.
 */
function isCustomerInitiated({ status, source }: Consent): boolean {
  return status === "UNSUBSCRIBED" && source !== "api" && source !== "import";
}
