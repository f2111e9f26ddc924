import type { MessageDelivery } from "../../../../../src/messages/delivery-schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { RelativeTime } from "../components/events.js";
import { mailKinds, mails as words } from "../words/en/mails.js";
import { mailWords } from "./mail-words.js";

/** How soon a delivery's next attempt must be due for the delivery to be reloaded, in milliseconds. */
const SOON_MS = 60_000;

/** Returns whether a delivery is being sent or is due within a minute. If so, the caller should reload it soon. */
export function isPending({ status, nextAttemptAt }: MessageDelivery): boolean {
  if (status === "SENDING") return true;
  return nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS;
}

interface MailLineProps {
  readonly mail: MessageDelivery;
  /** The name of the card that the message is about, or `null` if the context already shows it. */
  readonly card: string | null;
}

/**
 * A row for an email or wallet message about a card. Shows the message's status and an expandable list of its delivery attempts.
 */
export function MailRow({ mail, card }: MailLineProps) {
  const { kind, attempts, createdAt, messageId, channel } = mail;
  const { state, tone, about } = mailWords(mail);
  return (
    <li>
      <span class={`chip ${tone}`}>{state}</span>
      <span class="grow">
        {messageId !== null && hasScopes("message:read") ? (
          <Link to={`/messages/${encodeURIComponent(messageId)}`}>{mailKinds[kind]}</Link>
        ) : (
          mailKinds[kind]
        )}
        {channel === "wallet" && ` ${words.onCard}`}
        {about !== "" && <span class="quiet"> · {about}</span>}
        {card !== null && (
          <>
            <br />
            <bdi class="quiet">{card}</bdi>
          </>
        )}
      </span>
      <RelativeTime at={createdAt} />
      {attempts.length > 0 && (
        <details class="attempts">
          <summary class="quiet">{words.attempts(attempts.length)}</summary>
          <ol>
            {attempts.map(({ at, durationMs, code, answer }) => (
              <li key={at} class="attempt">
                <RelativeTime at={at} />
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

/** Formats a mail server's reply. Most replies already begin with the code. */
function answerText(code: number | null, answer: string | null): string {
  if (answer === null) return code === null ? words.noAnswer : String(code);
  return code === null || answer.startsWith(String(code)) ? answer : `${code} ${answer}`;
}
