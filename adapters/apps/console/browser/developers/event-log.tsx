import { useState } from "preact/hooks";
import { eventTypes, isEventType } from "../../../../../src/base/event-types.js";
import { syncQuery } from "../app/router.js";
import { Button } from "../components/button.js";
import type { Choices } from "../components/choices.js";
import { CodeDialog } from "../components/code-dialog.js";
import { DialogButton } from "../components/dialog.js";
import { emptyFeed, loadMoreEvents, loadNewestEvents, MAX_EVENTS } from "../components/events.js";
import { Empty, Loading } from "../components/feedback.js";
import { Select } from "../components/field.js";
import { useInterval, useLoad } from "../components/load.js";
import {
  computeDayBounds,
  findCursorBefore,
  type LogFilter,
  parseLogFilter,
} from "../components/log-filter.js";
import { Pager } from "../components/pager.js";
import { readShopTimeZone } from "../components/shop-time-zone.js";
import { EventNames } from "../customers/event-names.js";
import { eventLog as words } from "../words/en/webhooks.js";
import { EventRow } from "./event-row.js";

const RELOAD_MS = 3_000;

const PAGE_SIZE = 25;

const choices: Choices<string> = [["", words.all], ...eventTypes.map((type) => [type, type] as const)];

/** Shows the event log, newest first, with live updates. `query` can limit the log to certain event types or to one day. */
export function EventLog({ query }: { readonly query: URLSearchParams }) {
  const [filter, setFilter] = useState(() => parseLogFilter(query));
  const [isPaused, setPaused] = useState(false);
  const [feed, setFeed] = useState(emptyFeed);
  const [names] = useState(() => new EventNames());
  const [pageIndex, setPageIndex] = useState(0);
  const { types, day } = filter;
  const typeList = types.join(",");
  const eventQuery = types.length === 0 ? {} : { types: [...types] };
  const log = useLoad(`${typeList} ${day} ${pageIndex}`, async (calls) => {
    const span = day === "" ? null : computeDayBounds(day, await readShopTimeZone(calls));
    const baseFeed =
      feed !== emptyFeed || span === null
        ? feed
        : { ...emptyFeed, next: await findCursorBefore(span.from, calls.events.list) };
    // Reading the newest events of all types is fast. Reading the newest events of one type requires a search from the start.
    const newFeed =
      typeList === "" && span === null
        ? {
            ...(await loadNewestEvents(feed === emptyFeed ? null : feed, calls, MAX_EVENTS)),
            isComplete: true,
          }
        : await loadMoreEvents(baseFeed, eventQuery, calls, span ?? {});
    const page = newFeed.events.toReversed().slice(pageIndex * PAGE_SIZE, (pageIndex + 1) * PAGE_SIZE);
    await names.load(calls, page);
    setFeed(newFeed);
    return { page, total: newFeed.events.length, isComplete: newFeed.isComplete };
  });
  useInterval(RELOAD_MS, () => {
    if (!isPaused) log.reload();
  });
  const changeFilter = (newFilter: LogFilter) => {
    setFeed(emptyFeed);
    setPageIndex(0);
    setFilter(newFilter);
    syncQuery({ type: newFilter.types.join(","), day: newFilter.day });
  };
  return (
    <div class="stack">
      <div class="row">
        <Select
          class="narrow"
          aria-label={words.kind}
          value={typeList}
          choices={types.length > 1 ? [...choices, [typeList, types.join(", ")]] : choices}
          onChoose={(value) => changeFilter({ types: value.split(",").filter(isEventType), day })}
        />
        <input
          class="narrow"
          type="date"
          aria-label={words.day}
          value={day}
          onChange={(event) => changeFilter({ types, day: event.currentTarget.value })}
        />
        <Button
          text={isPaused ? words.goOn : words.pause}
          isPressed={isPaused}
          onClick={() => setPaused(!isPaused)}
        />
        <DialogButton
          text={words.asCode}
          dialog={(close) => (
            <CodeDialog call={{ group: "events", name: "list", args: [eventQuery] }} onClose={close} />
          )}
        />
        {log.value?.isComplete === false && <span class="quiet">{words.reading}</span>}
      </div>
      <Loading data={log} height="2.5rem" count={6}>
        {({ page, total }) =>
          total === 0 ? (
            <Empty isPanel title={words.none}>
              {words.noneHint}
            </Empty>
          ) : (
            <div class="panel padded stack tight">
              <div>
                {page.map((event) => (
                  <EventRow key={event.id} event={event} names={names} />
                ))}
              </div>
              <Pager
                noun={words.noun}
                page={pageIndex}
                size={PAGE_SIZE}
                total={total}
                onPage={setPageIndex}
              />
            </div>
          )
        }
      </Loading>
    </div>
  );
}
