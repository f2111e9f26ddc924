import { useState } from "preact/hooks";
import { type EventType, eventTypes } from "../../../../src/event-types.js";
import { EventNames } from "../customers/event-names.js";
import { Button } from "../parts/button.js";
import type { Choices } from "../parts/choices.js";
import { CodeDialog } from "../parts/code-dialog.js";
import { DialogButton } from "../parts/dialog.js";
import { KEPT, nothingRead, readNewest, readOn } from "../parts/events.js";
import { Select } from "../parts/field.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Empty, Loading } from "../parts/states.js";
import { eventLog as words } from "../words/en/webhooks.js";
import { EventLine } from "./event-line.js";

const RELOAD_MS = 3_000;

const SIZE = 25;

const choices: Choices<EventType | ""> = [
  ["", words.all],
  ...eventTypes.map((type) => [type, type] as const),
];

/** The event log, live, newest first. */
export function EventLog() {
  const [type, setType] = useState<EventType | "">("");
  const [isPaused, setPaused] = useState(false);
  const [start, setStart] = useState(nothingRead);
  const [names] = useState(() => new EventNames());
  const [at, setAt] = useState(0);
  const query = type === "" ? {} : { types: [type] };
  const log = useLoad(`${type} ${at}`, async (calls) => {
    // The newest of all kinds are found at once; those of one kind are looked for from the start.
    const read =
      type === ""
        ? { ...(await readNewest(start === nothingRead ? null : start, calls, KEPT)), isWhole: true }
        : await readOn(start, query, calls);
    const page = read.events.toReversed().slice(at * SIZE, (at + 1) * SIZE);
    await names.read(calls, page);
    setStart(read);
    return { page, total: read.events.length, isWhole: read.isWhole };
  });
  useEvery(RELOAD_MS, () => {
    if (!isPaused) log.reload();
  });
  return (
    <div class="stack">
      <div class="row">
        <Select
          class="narrow"
          aria-label={words.kind}
          value={type}
          choices={choices}
          onChoose={(chosen) => {
            setStart(nothingRead);
            setAt(0);
            setType(chosen);
          }}
        />
        <Button
          text={isPaused ? words.goOn : words.pause}
          isPressed={isPaused}
          onClick={() => setPaused(!isPaused)}
        />
        <DialogButton
          text={words.asCode}
          dialog={(close) => (
            <CodeDialog call={{ group: "events", name: "list", args: [query] }} onClose={close} />
          )}
        />
        {log.value?.isWhole === false && <span class="quiet">{words.reading}</span>}
      </div>
      <Loading of={log} height="2.5rem" count={6}>
        {({ page, total }) =>
          total === 0 ? (
            <Empty isPanel title={words.none}>
              {words.noneHint}
            </Empty>
          ) : (
            <div class="panel padded stack tight">
              <div>
                {page.map((event) => (
                  <EventLine key={event.id} event={event} names={names} />
                ))}
              </div>
              <Pager noun={words.noun} page={at} size={SIZE} total={total} onPage={setAt} />
            </div>
          )
        }
      </Loading>
    </div>
  );
}
