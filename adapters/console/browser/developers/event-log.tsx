import { useState } from "preact/hooks";
import { type EventType, eventTypes } from "../../../../src/event-types.js";
import { Button } from "../parts/button.js";
import type { Choices } from "../parts/choices.js";
import { EventLines, nothingRead, readOn } from "../parts/events.js";
import { Select } from "../parts/field.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Empty, Loading } from "../parts/states.js";

const RELOAD_MS = 3_000;

const choices: Choices<EventType | ""> = [
  ["", "All events"],
  ...eventTypes.map((type) => [type, type] as const),
];

/** The event log, live, newest first. */
export function EventLog() {
  const [type, setType] = useState<EventType | "">("");
  const [isPaused, setPaused] = useState(false);
  const [start, setStart] = useState(nothingRead);
  const log = useLoad(type, async (calls) => {
    const read = await readOn(start, type === "" ? {} : { types: [type] }, calls);
    setStart(read);
    return read;
  });
  useEvery(RELOAD_MS, () => {
    if (!isPaused) log.reload();
  });
  return (
    <div class="stack">
      <div class="row">
        <Select
          class="narrow"
          aria-label="Kind of event"
          value={type}
          choices={choices}
          onChoose={(chosen) => {
            setStart(nothingRead);
            setType(chosen);
          }}
        />
        <Button
          text={isPaused ? "Go on" : "Pause"}
          isPressed={isPaused}
          onClick={() => setPaused(!isPaused)}
        />
        {log.value?.isWhole === false && <span class="quiet">Reading a long log…</span>}
      </div>
      <Loading of={log} height="2.5rem" count={6}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty isPanel title="No events yet">
              What happens from now on appears here.
            </Empty>
          ) : (
            <div class="panel padded">
              <EventLines events={events.toReversed()} />
            </div>
          )
        }
      </Loading>
    </div>
  );
}
