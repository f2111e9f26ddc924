import type { Message, MessagePreview } from "../../../../../src/messages/schema.js";
import { LoadError, Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { numberText } from "../words/en/forms.js";
import { numbers as words } from "../words/en/message-numbers.js";
import { sumSkipCounts } from "./message-words.js";
import { PendingNews } from "./pending-news.js";
import { BigNumber, describeDuration, Reasons } from "./progress.js";

/**
 * Shows how many customers would receive a message if it were sent now, and why the other customers in the audience would be
 * skipped.
 */
export function Numbers({ message }: { readonly message: Message }) {
  const numbers = useLoad(`${message.id} ${message.updatedAt}`, (calls) =>
    calls.messages.preview(message.id),
  );
  // The message has begun to be sent. Its screen soon shows how far it is.
  if (numbers.error?.status === 409) return null;
  const isUnfinished = numbers.error?.status === 422;
  return (
    <section class="panel padded stack tight recipient-numbers" aria-label={words.title}>
      <h2>{words.title}</h2>
      {isUnfinished && <p class="quiet">{words.unfinished}</p>}
      {numbers.error !== null && !isUnfinished && (
        <LoadError error={numbers.error} onRetry={numbers.reload} />
      )}
      {numbers.error === null && (
        <Loading data={numbers} height="6rem">
          {(value) => <PreviewNumbers message={message} numbers={value} />}
        </Loading>
      )}
    </section>
  );
}

interface PreviewNumbersProps {
  readonly message: Pick<Message, "audience" | "channels">;
  readonly numbers: MessagePreview;
}

/** Shows the recipient and skip counts from a message preview. */
export function PreviewNumbers({ message, numbers }: PreviewNumbersProps) {
  const { channels } = message;
  const { recipients, customers, byChannel, skipped, languages, seconds } = numbers;
  const skippedCount = sumSkipCounts(skipped);
  const usedLanguages = Object.entries(languages).filter(([, count]) => count > 0);
  const languageText = usedLanguages
    .map(([language, count]) => `${language} (${numberText(count)})`)
    .join(", ");
  const sentences = [
    words.of(customers),
    recipients > customers ? words.apart : "",
    usedLanguages.length > 1 ? words.read(languageText) : "",
    byChannel.wallet + byChannel.email > 0 ? describeDuration(seconds) : "",
  ];
  return (
    <>
      <dl class="big-numbers">
        {channels.includes("wallet") && <BigNumber count={byChannel.wallet} text={words.onCard} />}
        {channels.includes("email") && <BigNumber count={byChannel.email} text={words.byMail} />}
        <BigNumber count={skippedCount} text={words.notSent} />
      </dl>
      <Reasons skipped={skipped} />
      <PendingNews message={message} />
      <p class="quiet">{sentences.filter((each) => each !== "").join(" ")}</p>
    </>
  );
}
