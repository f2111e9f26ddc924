import { useState } from "preact/hooks";
import { eventTypes } from "../../../../src/event-types.js";
import { type EventReading, nothingRead, readOn } from "../app/event-reading.js";
import { Button } from "../parts/button.js";
import { EventLine } from "../parts/event-line.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Empty, Failed, Skeleton } from "../parts/states.js";

const LOOK_MS = 3_000;

/** The event log, live, newest first. */
export function EventLog() {
  const [type, setType] = useState("");
  const [isPaused, setPaused] = useState(false);
  const [start, setStart] = useState(nothingRead);
  const log = useLoad<EventReading>(type, async (signal) => {
    const read = await readOn(start, { types: type }, signal);
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
            setStart(nothingRead);
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
