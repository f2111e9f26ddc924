import type { MessageChannel, Subscription } from "../../../../src/resources/subscription.js";
import type { User } from "../../../../src/resources/user.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { ConfirmButton, DialogButton } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { Loading } from "../parts/states.js";
import { momentText } from "../words/en/forms.js";
import { ConsentForm, LanguageForm } from "./consent-form.js";
import { channelNames, isOwnEnd, sources, statuses, suppressions } from "./consent-words.js";

/** Shows a customer's consents to messages, and whether their address takes mail. */
export function SubscriptionPanel({ customer }: { readonly customer: User }) {
  const { id } = customer;
  const address = shownEmail(customer.email);
  // Another address is neither confirmed nor suppressed.
  const subscription = useLoad(`${id} ${address}`, (calls) => calls.subscriptions.get(id));
  return (
    <section class="panel padded stack" aria-label="Mail and news">
      <h2>Mail and news</h2>
      <Loading of={subscription} height="8rem">
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
          Nothing is sent to this address since {momentText(suppressed.at)}: {suppressions[suppressed.reason]}
          . That ends when the address is changed.
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>Address</dt>
          <dd>
            {address === null && "none"}
            {address !== null &&
              (emailConfirmedAt === null ? "not confirmed" : `confirmed on ${momentText(emailConfirmedAt)}`)}
          </dd>
        </div>
        <div>
          <dt>Language</dt>
          <dd>
            <bdi>{language ?? "that of the card"}</bdi>
          </dd>
        </div>
      </dl>
      {may("user:update") && (
        <div class="row">
          <DialogButton
            text="Change language"
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
  const { text: state, tone } = statuses[status];
  const name = channelNames[channel];
  const since = [at !== null && momentText(at), source !== null && sources[source]]
    .filter(Boolean)
    .join(", ");
  const ending = status === "NONE" ? "Note a refusal" : "Note the end";
  const end = async () =>
    onSaved(await api.subscriptions.put(subscription.userId, { [channel]: { status: "UNSUBSCRIBED" } }));
  return (
    <section class="stack tight" aria-label={name}>
      <div class="row spread">
        <h3>{name}</h3>
        <span class={`chip ${tone}`}>{state}</span>
      </div>
      {since !== "" && <p class="quiet">{since}</p>}
      {text !== null && (
        <blockquote class="consent">
          <bdi>{text}</bdi>
        </blockquote>
      )}
      {may("user:update") && (
        <div class="row">
          {status !== "SUBSCRIBED" && (
            <DialogButton
              text={isOwnEnd(consent) ? "Note a new consent" : "Note a consent"}
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
              title={`${name}: the customer wants none?`}
              verb={ending}
              call={end}
              said="It was noted"
            >
              <p>
                They get none from now on, until they agree to them anew. Mails with their card are none of
                these.
              </p>
            </ConfirmButton>
          )}
        </div>
      )}
    </section>
  );
}
