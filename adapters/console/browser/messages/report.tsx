import { useState } from "preact/hooks";
import type { Message } from "../../../../src/resources/message.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { go } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../parts/button.js";
import { ConfirmButton } from "../parts/dialog.js";
import { Field, Select } from "../parts/field.js";
import { attempt, tell } from "../parts/toasts.js";
import { zonedText } from "../parts/zoned-time.js";
import { counted } from "../words/en/forms.js";
import { copyOf } from "./edited-message.js";
import { type MessageSetup, quietUntil } from "./message-setup.js";
import { channelNames, isMoving, statuses, sumOf } from "./message-words.js";
import { Numbers } from "./numbers.js";
import { Previews } from "./previews.js";
import { BigNumber, Progress, Reasons } from "./progress.js";
import { Recipients } from "./recipients.js";

interface ReportProps {
  readonly message: Message;
  readonly setup: MessageSetup;
  readonly onChanged: (message: Message) => void;
}

/** What has come of a message: its sums, who got it and who not, and what it says. */
export function Report({ message, setup, onChanged }: ReportProps) {
  const { name, status, sums, texts, channels, templateId, link } = message;
  const [shown, setShown] = useState(0);
  const said = texts[shown];
  const { text, tone } = statuses[status];
  const template = setup.templates.find(({ id }) => id === templateId) ?? null;
  const mayEnd = may("message:send") && (status === "SCHEDULED" || status === "SENDING");
  const copy = () =>
    attempt(async () => {
      const { id } = await api.messages.create(copyOf(message));
      go(`/messages/${encodeURIComponent(id)}`);
      tell("It was copied as a draft");
    });
  return (
    <>
      <PageHead title={<bdi>{name}</bdi>} tab={name}>
        {mayEnd && (
          <ConfirmButton
            kind="danger"
            text="Cancel message"
            title={`Cancel ${name}?`}
            verb="Cancel the message"
            call={async () => onChanged(await api.messages.cancel(message.id))}
            said="The message was cancelled"
          >
            <p>
              {status === "SCHEDULED"
                ? "Nobody gets it."
                : "Who has not got it yet does not, but for a few whose turn is now. Cards lose it again."}{" "}
              This can’t be undone.
            </p>
          </ConfirmButton>
        )}
        {may("message:send") && <Button text="Copy as a new draft" onClick={() => void copy()} />}
      </PageHead>
      <div class="halves compose">
        <div class="stack">
          <section class="panel padded stack" aria-label="How far it is">
            <div class="row spread">
              <h2>How far it is</h2>
              <span class={`chip ${tone}`} role="status">
                {text}
              </span>
            </div>
            {sums !== null && (
              <>
                {isMoving(message) && <Progress sums={sums} />}
                <dl class="big-numbers">
                  <BigNumber count={sums.accepted} text="Sent" />
                  <BigNumber count={sums.pending + sums.sending} text="To go" />
                  <BigNumber count={sumOf(sums.skipped)} text="Not sent" />
                  <BigNumber count={sums.failed} text="Failed" />
                </dl>
                <Reasons skipped={sums.skipped} />
                {sums.uncertain > 0 && (
                  <p class="quiet">
                    {counted(sums.uncertain, "answer")} got lost: those customers may have it twice.
                  </p>
                )}
              </>
            )}
            <Facts message={message} setup={setup} />
          </section>
          {status === "SCHEDULED" && <Numbers message={message} isDirty={false} />}
          {sums !== null && <Recipients message={message} />}
        </div>
        <div class="stack preview">
          {texts.length > 1 && (
            <Field label="Language">
              <Select
                value={String(shown)}
                choices={texts.map(({ language }, at) => [String(at), language] as const)}
                onChoose={(at) => setShown(Number(at))}
              />
            </Field>
          )}
          <Previews
            text={{
              language: said?.language ?? "",
              wallet: said?.wallet ?? "",
              subject: said?.subject ?? "",
              text: said?.text ?? "",
            }}
            channels={channels}
            template={template}
            link={link ?? ""}
            rules={setup.rules}
          />
        </div>
      </div>
    </>
  );
}

function Facts({ message, setup }: Omit<ReportProps, "onChanged">) {
  const { timeZone } = setup;
  const { status, audience, channels, order, sendAt, startedAt, completedAt, expiresAt, sums } = message;
  const whom =
    "all" in audience
      ? "everybody"
      : "segment" in audience
        ? `the segment “${setup.segments.find(({ slug }) => slug === audience.segment)?.name ?? audience.segment}”`
        : "filter" in audience
          ? "customers by what they do, have or are"
          : counted(audience.userIds.length, "customer");
  const between = order === "each" ? " and " : ", else ";
  const facts = [
    ["To", sums === null ? whom : `${whom}: ${counted(sums.people, "customer")}`],
    ["How", channels.map((channel) => channelNames[channel].toLowerCase()).join(between)],
    ["Begins", status === "SCHEDULED" ? beginText(sendAt, setup) : null],
    ["Began", startedAt && zonedText(timeZone, startedAt)],
    ["Ended", completedAt && zonedText(timeZone, completedAt)],
    ["Sent until", completedAt === null && expiresAt !== null ? zonedText(timeZone, expiresAt) : null],
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

/** Says when a message begins that waits. */
function beginText(sendAt: string | null, setup: MessageSetup): string {
  const due = sendAt === null ? new Date() : new Date(sendAt);
  const until = quietUntil(setup, due);
  if (until !== null) return `after the quiet hours, at ${until} (${setup.timeZone})`;
  return sendAt === null ? "in a moment" : zonedText(setup.timeZone, sendAt);
}
