import type { LoyaltyEvent } from "../../../../src/events/event.js";
import { momentText } from "./words.js";

interface EventLineProps {
  readonly event: Pick<LoyaltyEvent, "type" | "timestamp" | "data">;
}

/** An event in a line, which opens to show what it tells. */
export function EventLine({ event: { type, timestamp, data } }: EventLineProps) {
  return (
    <details class="event">
      <summary class="event-line">
        <code class="grow">{type}</code>
        <time class="quiet number" dateTime={timestamp}>
          {momentText(timestamp)}
        </time>
      </summary>
      <pre>{JSON.stringify(data, null, 2)}</pre>
    </details>
  );
}
