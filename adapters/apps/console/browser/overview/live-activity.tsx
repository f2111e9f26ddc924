import { useState } from "preact/hooks";
import type { EventType } from "../../../../../src/base/event-types.js";
import { describeNamedActor } from "../components/actor-names.js";
import { describeEvent } from "../components/event-words.js";
import { loadNewestEvents, type NewestEvents } from "../components/events.js";
import { Loading } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { CustomerLink } from "../customers/customer-link.js";
import { EventNames, type ListedEvent, parseEventSubject } from "../customers/event-names.js";
import { locale } from "../words/en/forms.js";
import { visits as words } from "../words/en/visits.js";

const RELOAD_MS = 5_000;

/** How many of the newest events to search for events to show. */
const MAX_READ = 100;
const MAX_SHOWN = 8;

/**
 * Types of events in which a customer interacts with the shop. All other events are consequences of these, or don't concern a
 * customer.
 */
const shownTypes: ReadonlySet<EventType> = new Set([
  "user.created",
  "pass.created",
  "pass.installed",
  "stamp.added",
  "stamp.removed",
  "stamp.reversed",
  "stamp_card.redeemed",
  "purchase.recorded",
  "points.spent",
  "reward.granted",
  "stamp_card.completed",
]);

const timeFormat = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const dateTimeFormat = new Intl.DateTimeFormat(locale, {
  ...{ month: "short", day: "numeric" },
  ...{ hour: "numeric", minute: "2-digit" },
});

/** Formats a time, with its day unless it is today. */
function formatTime(timestamp: string): string {
  const date = new Date(timestamp);
  return (date.toDateString() === new Date().toDateString() ? timeFormat : dateTimeFormat).format(date);
}

/** Shows the latest events, newest first, with each event's customer and actor. */
export function LiveActivity() {
  const [names] = useState(() => new EventNames());
  const log = useLoad("happening", async (calls) => {
    const newestEvents: NewestEvents = await loadNewestEvents(
      log.value?.newestEvents ?? null,
      calls,
      MAX_READ,
    );
    const lines = newestEvents.events
      .filter(({ type }) => shownTypes.has(type))
      .slice(-MAX_SHOWN)
      .reverse();
    await names.load(calls, lines);
    return { newestEvents, lines };
  });
  useInterval(RELOAD_MS, log.reload);
  return (
    <section class="panel padded stack tight activity" aria-label={words.happening}>
      <h2>{words.happening}</h2>
      <Loading data={log} height="1.5rem" count={MAX_SHOWN}>
        {({ lines }) =>
          lines.length === 0 ? (
            <p class="quiet">{words.nothingYet}</p>
          ) : (
            <ol class="happening">
              {lines.map((event) => (
                <ActivityLine key={event.id} event={event} names={names} />
              ))}
            </ol>
          )
        }
      </Loading>
    </section>
  );
}

function ActivityLine({ event, names }: { readonly event: ListedEvent; readonly names: EventNames }) {
  const userId = names.findCustomerId(parseEventSubject(event));
  return (
    <li>
      <span class="grow">
        {userId !== null && <CustomerLink id={userId} name={names.users.get(userId) ?? null} />}{" "}
        {describeEvent(event, names.points)}{" "}
        {event.actor.kind !== "customer" && (
          <span class="quiet">{words.by(describeNamedActor(event.actor, names.resources))}</span>
        )}
      </span>
      <time class="quiet number" dateTime={event.timestamp}>
        {formatTime(event.timestamp)}
      </time>
    </li>
  );
}
