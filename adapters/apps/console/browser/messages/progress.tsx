import type { MessageSums } from "../../../../../src/messages/schema.js";
import { numberText } from "../words/en/forms.js";
import { numbers } from "../words/en/message-numbers.js";
import { formatDuration, listSkipReasons, type SkipCounts } from "./message-words.js";

/** A progress bar that shows how many of a message's deliveries have finished. */
export function Progress({ sums }: { readonly sums: MessageSums }) {
  const { recipients, pending, sending } = sums;
  const finished = recipients - pending - sending;
  return (
    <progress class="progress" aria-label={numbers.progress} max={Math.max(recipients, 1)} value={finished}>
      {finished}
    </progress>
  );
}

/** Lists the reasons why customers were skipped, each with its customer count. */
export function Reasons({ skipped }: { readonly skipped: SkipCounts }) {
  const reasons = listSkipReasons(skipped);
  if (reasons.length === 0) return null;
  return (
    <ul class="reasons" aria-label={numbers.reasons}>
      {reasons.map(([words, count]) => (
        <li key={words}>
          <span class="number">{numberText(count)}</span> {words}
        </li>
      ))}
    </ul>
  );
}

interface NumberProps {
  readonly count: number;
  readonly text: string;
}

/** Displays a count in large type, with its label. */
export function BigNumber({ count, text }: NumberProps) {
  return (
    <div class="big-number">
      <dt>{text}</dt>
      <dd class="number">{numberText(count)}</dd>
    </div>
  );
}

/**
 * Formats the estimated time until the slowest channel has sent its last delivery.
 * @param durations the estimated time per channel, in seconds.
 * @returns text such as "about 83 minutes".
 */
export function describeDuration({
  email,
  apple,
  google,
}: Readonly<Record<"email" | "apple" | "google", number>>) {
  return formatDuration(Math.max(email, apple, google));
}
