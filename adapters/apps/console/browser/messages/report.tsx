import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { MessageDelivery } from "../../../../../src/messages/delivery-schema.js";
import type { CreateMessage, Message } from "../../../../../src/messages/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { navigate } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../components/button.js";
import { ConfirmButton } from "../components/dialog.js";
import { RelativeTime } from "../components/events.js";
import { Field, Select } from "../components/field.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { formatZonedTime } from "../components/zoned-time.js";
import { CustomerHistory } from "../customers/customer-history.js";
import { describeMail } from "../customers/mail-words.js";
import { numbers } from "../words/en/message-numbers.js";
import {
  recipientFilters,
  recipients as recipientsWords,
  report,
  report as words,
} from "../words/en/message-report.js";
import { statuses } from "../words/en/messages.js";
import { findQuietHoursEnd, type MessageSetup } from "./message-setup.js";
import { isInProgress, sumSkipCounts, tones } from "./message-words.js";
import { Numbers } from "./numbers.js";
import { Previews } from "./previews.js";
import { BigNumber, Progress, Reasons } from "./progress.js";

const PAGE_SIZE = 10;

const platforms = { apple: "Apple", google: "Google" } as const;

interface ReportProps {
  readonly message: Message;
  readonly setup: MessageSetup;
  readonly onChanged: (message: Message) => void;
}

/** Shows a sent message's results: its counts, recipients, and text. */
export function Report({ message, setup, onChanged }: ReportProps) {
  const { name, status, sums, texts, channels, templateId, link } = message;
  const [shownIndex, setShownIndex] = useState(0);
  const shownText = texts[shownIndex];
  const template = setup.templates.find(({ id }) => id === templateId) ?? null;
  const mayEnd = hasScopes("message:send") && (status === "SCHEDULED" || status === "SENDING");
  const copy = () =>
    runWithToast(async () => {
      const { id } = await api.messages.create(buildCopy(message));
      navigate(`/messages/${encodeURIComponent(id)}`);
      showToast(words.copied);
    });
  return (
    <>
      <PageHead title={<bdi>{name}</bdi>} documentTitle={name}>
        {mayEnd && (
          <ConfirmButton
            kind="danger"
            text={words.cancel}
            title={words.cancelTitle(name)}
            confirmText={words.cancelVerb}
            call={async () => onChanged(await api.messages.cancel(message.id))}
            successMessage={words.wasCanceled}
          >
            <p>{status === "SCHEDULED" ? words.cancelScheduled : words.cancelSending}</p>
          </ConfirmButton>
        )}
        {hasScopes("message:send") && <Button text={words.copy} onClick={() => void copy()} />}
      </PageHead>
      <div class="halves compose">
        <div class="stack">
          <section class="panel padded stack" aria-label={numbers.progress}>
            <div class="row spread">
              <h2>{numbers.progress}</h2>
              <span class={`chip ${tones[status]}`} role="status">
                {statuses[status]}
              </span>
            </div>
            {sums !== null && (
              <>
                {isInProgress(message) && <Progress sums={sums} />}
                <dl class="big-numbers">
                  <BigNumber count={sums.accepted} text={words.sent} />
                  <BigNumber count={sums.pending + sums.sending} text={words.toGo} />
                  <BigNumber count={sumSkipCounts(sums.skipped)} text={words.notSent} />
                  <BigNumber count={sums.failed} text={words.failed} />
                </dl>
                <p class="quiet">{words.outOf(sums.recipients, sums.customers)}</p>
                <Reasons skipped={sums.skipped} />
                {sums.uncertain > 0 && <p class="quiet">{words.uncertain(sums.uncertain)}</p>}
              </>
            )}
            <Facts message={message} setup={setup} />
          </section>
          {status === "SCHEDULED" && <Numbers message={message} />}
          {sums !== null && <Recipients message={message} timeZone={setup.timeZone} />}
        </div>
        <div class="stack preview">
          {texts.length > 1 && (
            <Field label={words.language}>
              <Select
                value={String(shownIndex)}
                choices={texts.map(({ language }, index) => [String(index), language] as const)}
                onChoose={(value) => setShownIndex(Number(value))}
              />
            </Field>
          )}
          <Previews
            text={{
              language: shownText?.language ?? "",
              wallet: shownText?.wallet ?? "",
              subject: shownText?.subject ?? "",
              text: shownText?.text ?? "",
            }}
            channels={channels}
            template={template}
            link={link ?? ""}
            setup={setup}
          />
        </div>
      </div>
    </>
  );
}

function Facts({ message, setup }: Omit<ReportProps, "onChanged">) {
  const { timeZone } = setup;
  const { status, audience, channels, order, sendAt, startedAt, completedAt, expiresAt, sums } = message;
  const audienceText =
    "all" in audience
      ? words.everybody
      : "segment" in audience
        ? words.segment(
            setup.segments.find(({ slug }) => slug === audience.segment)?.name ?? audience.segment,
          )
        : "filter" in audience
          ? words.filter
          : words.some(audience.userIds.length);
  const facts = [
    [words.to, sums === null ? audienceText : words.toSoMany(audienceText, sums.customers)],
    [words.how, words.ways(channels, order === "each")],
    [words.begins, status === "SCHEDULED" ? describeStart(sendAt, setup) : null],
    [words.began, startedAt && formatZonedTime(timeZone, startedAt)],
    [words.ended, completedAt && formatZonedTime(timeZone, completedAt)],
    [
      words.sentUntil,
      completedAt === null && expiresAt !== null ? formatZonedTime(timeZone, expiresAt) : null,
    ],
  ] as const;
  return (
    <dl class="facts">
      {facts.map(
        ([label, value]) =>
          value !== null && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Describes when a waiting message starts. */
function describeStart(sendAt: string | null, setup: MessageSetup): string {
  const startTime = sendAt === null ? new Date() : new Date(sendAt);
  const until = findQuietHoursEnd(setup, startTime);
  if (until !== null) return words.afterQuietHours(until, setup.timeZone);
  return sendAt === null ? words.inAMoment : formatZonedTime(setup.timeZone, sendAt);
}

/** Returns a copy of a message that can be saved as a new draft, without the send time and expiry time. */
function buildCopy(message: Message): CreateMessage {
  const { audience, templateId, channels, order, texts, link, respectsCap } = message;
  const name = [...report.copyName(message.name)].slice(0, 150).join("");
  return { name, audience, templateId, channels, order, texts, link, respectsCap };
}

interface RecipientsProps {
  readonly message: Message;
  readonly timeZone: string;
}

/** Lists a message's recipients, including skipped customers and why they were skipped. */
function Recipients({ message: { id, sums }, timeZone }: RecipientsProps) {
  return (
    <CustomerHistory<MessageDelivery>
      // The sums change whenever a delivery does, which reloads the list.
      historyKey={`${id} ${JSON.stringify(sums)}`}
      words={recipientsWords}
      statuses={recipientFilters}
      size={PAGE_SIZE}
      readPage={(calls, query) => calls.messages.deliveries(id, query)}
      emptyText={() => recipientsWords.none}
    >
      {(delivery, customer) => (
        <Recipient key={delivery.id} delivery={delivery} timeZone={timeZone}>
          {customer}
        </Recipient>
      )}
    </CustomerHistory>
  );
}

interface RecipientProps {
  readonly delivery: MessageDelivery;
  readonly timeZone: string;
  /** The customer's name. */
  readonly children: ComponentChildren;
}

function Recipient({ delivery, timeZone, children }: RecipientProps) {
  const { channel, platform, updatedAt } = delivery;
  const { state, tone, about } = describeMail(delivery);
  const channelText =
    channel === "email"
      ? recipientsWords.byMail
      : platform === null
        ? recipientsWords.onCard
        : recipientsWords.onCardIn(platforms[platform]);
  return (
    <li>
      <span class={`chip ${tone}`}>{state}</span>
      <span class="grow">
        {children}
        <span class="quiet">
          {" "}
          · {channelText}
          {about !== "" && ` · ${about}`}
        </span>
      </span>
      <RelativeTime at={updatedAt} timeZone={timeZone} />
    </li>
  );
}
