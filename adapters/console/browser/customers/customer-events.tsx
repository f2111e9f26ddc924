import { useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { actorText, eventText } from "../parts/event-words.js";
import { type EventReading, Moment, nothingRead, readOn } from "../parts/events.js";
import { type Loaded, useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Loading } from "../parts/states.js";

const SIZE = 20;

/** All that happened with a customer, newest first. It is read when it is asked for, since the server looks through the whole log. */
export function CustomerEvents({ userId }: { readonly userId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="panel padded stack tight" aria-label="What happened">
      <div class="row spread">
        <h2>What happened</h2>
        {!isOpen && <Button text="Show all of it" onClick={() => setOpen(true)} />}
      </div>
      {isOpen && <Timeline userId={userId} />}
    </section>
  );
}

function Timeline({ userId }: { readonly userId: string }) {
  const [page, setPage] = useState(0);
  const reading: Loaded<EventReading> = useLoad(userId, (calls) =>
    readOn(reading.value ?? nothingRead, { userId }, calls),
  );
  return (
    <Loading of={reading} height="2.5rem" count={4}>
      {({ events }) => (
        <>
          {events.length === 0 && <p class="quiet">Nothing of this customer is kept any more.</p>}
          <ol class="history">
            {events
              .toReversed()
              .slice(page * SIZE, (page + 1) * SIZE)
              .map((event) => (
                <li key={event.id}>
                  <span class="grow">
                    <bdi>{eventText(event)}</bdi>
                    <br />
                    <bdi class="quiet">{actorText(event.actor)}</bdi>
                  </span>
                  <Moment at={event.timestamp} />
                </li>
              ))}
          </ol>
          <Pager noun="events" page={page} size={SIZE} total={events.length} onPage={setPage} />
          <div class="row">
            <Button text="Look again" disabled={reading.isLoading} onClick={reading.reload} />
          </div>
        </>
      )}
    </Loading>
  );
}
