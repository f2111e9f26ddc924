import { useEffect, useState } from "preact/hooks";
import type { MessageDelivery } from "../../../../src/resources/message-delivery.js";
import { may } from "../api/session.js";
import { Link } from "../app/router.js";
import { Moment } from "../parts/events.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Loading } from "../parts/states.js";
import { counted } from "../parts/words.js";
import { mailKinds, mailWords } from "./mail-words.js";

const SIZE = 5;
const RELOAD_MS = 2_000;

/** A mail whose next attempt is farther off than this is not looked at again. */
const SOON_MS = 60_000;

interface CardMailsProps {
  readonly passId: string;
  /** Changes when there is a new mail. */
  readonly turn: number;
}

/** The mails and messages about a card, newest first, as they go; nothing where there was none. */
export function CardMails({ passId, turn }: CardMailsProps) {
  const [at, setAt] = useState(0);
  const mails = useLoad(`${passId} ${turn} ${at}`, (calls) =>
    calls.passes.deliveries(passId, { page: at, size: SIZE }),
  );
  // New mails are on the first page.
  useEffect(() => setAt(0), [turn]);
  useEvery(RELOAD_MS, () => {
    if (mails.value?.content.some(isUnderWay)) mails.reload();
  });
  return (
    <Loading of={mails}>
      {({ content, totalElements }) =>
        totalElements > 0 && (
          <section class="stack tight" aria-label="Mails and messages">
            <h3>Mails and messages</h3>
            <ol class="history">
              {content.map((mail) => (
                <MailLine key={mail.id} mail={mail} />
              ))}
            </ol>
            <Pager noun="mails" page={at} size={SIZE} total={totalElements} onPage={setAt} />
          </section>
        )
      }
    </Loading>
  );
}

function isUnderWay({ status, nextAttemptAt }: MessageDelivery): boolean {
  if (status === "SENDING") return true;
  return nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS;
}

function MailLine({ mail }: { readonly mail: MessageDelivery }) {
  const { kind, attempts, createdAt, messageId, channel } = mail;
  const { state, tone, about } = mailWords(mail);
  return (
    <li>
      <span class={`chip ${tone}`}>{state}</span>
      <span class="grow">
        {messageId !== null && may("message:read") ? (
          <Link to={`/messages/${encodeURIComponent(messageId)}`}>{mailKinds[kind]}</Link>
        ) : (
          mailKinds[kind]
        )}
        {channel === "wallet" && " on the card"}
        {about !== "" && <span class="quiet"> · {about}</span>}
      </span>
      <Moment at={createdAt} />
      {attempts.length > 0 && (
        <details class="attempts">
          <summary class="quiet">{counted(attempts.length, "attempt")}</summary>
          <ol>
            {attempts.map(({ at, durationMs, code, answer }) => (
              <li key={at} class="attempt">
                <Moment at={at} />
                <span class="quiet"> · {(durationMs / 1_000).toFixed(1)} s · </span>
                <bdi>{answerText(code, answer)}</bdi>
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}

/** Returns the answer of a mail server. Most of them begin with the code. */
function answerText(code: number | null, answer: string | null): string {
  if (answer === null) return code === null ? "no answer" : String(code);
  return code === null || answer.startsWith(String(code)) ? answer : `${code} ${answer}`;
}
