import { useState } from "preact/hooks";
import { eventTypes } from "../../../../src/event-types.js";
import type { EventPage } from "../../../../src/webhooks/event-log.js";
import { get } from "../app/call.js";
import { useEvery, useLoad } from "../app/load.js";
import { Button } from "../parts/button.js";
import { EventLine } from "../parts/event-line.js";
import { Empty, Failed, Skeleton } from "../parts/states.js";

type LoyaltyEvent = EventPage["content"][number];

const LOOK_MS = 3_000;
const PAGE = 1_000;

/** How many are kept on the screen. */
const KEPT = 200;

/** How many pages are read for the newest events: the log is read from its beginning. */
const MAX_PAGES = 50;

interface Log {
  readonly events: readonly LoyaltyEvent[];
  readonly next: string;
  readonly isWhole: boolean;
}

/** Reads on from a place in the log, and keeps the newest. */
async function readOn(log: Log, type: string, signal: AbortSignal): Promise<Log> {
  let { events, next } = log;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const parameters = new URLSearchParams({ after: next, limit: String(PAGE) });
    if (type !== "") parameters.set("types", type);
    const page = await get<EventPage>(`/v1/events?${parameters}`, signal);
    events = [...events, ...page.content].slice(-KEPT);
    next = page.next;
    if (page.content.length < PAGE) return { events, next, isWhole: true };
  }
  return { events, next, isWhole: false };
}

/** The event log, live, newest first. */
export function EventLog() {
  const [type, setType] = useState("");
  const [isPaused, setPaused] = useState(false);
  const [start, setStart] = useState<Log>({ events: [], next: "0", isWhole: true });
  const log = useLoad<Log>(type, async (signal) => {
    const read = await readOn(start, type, signal);
    setStart(read);
    return read;
  });
  useEvery(LOOK_MS, () => {
    if (!isPaused) log.reload();
  });
  const events = log.value?.events.toReversed() ?? [];
  return (
    <div class="stack">
      <div class="row">
        <select
          class="narrow"
          aria-label="Kind of event"
          value={type}
          onChange={(event) => {
            setStart({ events: [], next: "0", isWhole: true });
            setType(event.currentTarget.value);
          }}
        >
          <option value="">All events</option>
          {eventTypes.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        <Button isPressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? "Go on" : "Pause"}
        </Button>
        {log.value?.isWhole === false && <span class="quiet">Reading a long log…</span>}
      </div>
      {log.error !== null && <Failed error={log.error} onRetry={log.reload} />}
      {log.value === null && log.error === null && <Skeleton height="2.5rem" count={6} />}
      {log.value !== null && events.length === 0 && (
        <div class="panel">
          <Empty title="No events yet">What happens from now on appears here.</Empty>
        </div>
      )}
      {events.length > 0 && (
        <div class="panel padded">
          {events.map((event) => (
            <EventLine key={event.id} event={event} />
          ))}
        </div>
      )}
    </div>
  );
}
