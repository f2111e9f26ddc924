import { useState } from "preact/hooks";
import type { Dossier } from "../../../../src/customers/dossier.js";
import { get } from "../app/call.js";
import { type EventReading, nothingRead, readOn } from "../app/event-reading.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { download } from "../parts/download.js";
import { EventLine } from "../parts/event-line.js";
import { type Loaded, useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Failed, Skeleton } from "../parts/states.js";
import { tellFailure } from "../parts/toasts.js";

const SIZE = 20;

/** The latest events of a customer, read when they are asked for, and all that is known as a file. */
export function CustomerEvents({ userId }: { readonly userId: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!may("webhook:manage")) return null;
  return (
    <section class="panel padded stack tight" aria-label="Events">
      <div class="row spread">
        <h2>Events</h2>
        {!isOpen && <Button onClick={() => setOpen(true)}>Show events</Button>}
      </div>
      {isOpen && <Events userId={userId} />}
    </section>
  );
}

function Events({ userId }: { readonly userId: string }) {
  const [page, setPage] = useState(0);
  const [isHandingOut, setHandingOut] = useState(false);
  const reading: Loaded<EventReading> = useLoad(userId, (signal) =>
    readOn(reading.value ?? nothingRead, { userId }, signal),
  );
  // The audit trail has it then that what is known was handed out.
  const handOut = async () => {
    setHandingOut(true);
    try {
      const dossier = await get<Dossier>(`/v1/users/${userId}/dossier`);
      download(`${userId}.json`, JSON.stringify(dossier, null, 2), "application/json");
    } catch (error) {
      tellFailure(error);
    }
    setHandingOut(false);
  };
  const { value, error } = reading;
  if (value === null) {
    return error === null ? (
      <Skeleton height="2.5rem" count={4} />
    ) : (
      <Failed error={error} onRetry={reading.reload} />
    );
  }
  const events = value.events.toReversed();
  return (
    <>
      {error !== null && <Failed error={error} onRetry={reading.reload} />}
      {events.length === 0 && <p class="quiet">No event of this customer is kept any more.</p>}
      <div>
        {events.slice(page * SIZE, (page + 1) * SIZE).map((event) => (
          <EventLine key={event.id} event={event} />
        ))}
      </div>
      <Pager noun="events" page={page} size={SIZE} total={events.length} onPage={setPage} />
      <div class="row">
        <Button disabled={reading.isLoading} onClick={reading.reload}>
          Look again
        </Button>
        {may("user:read", "user_tag:read", "pass:read") && (
          <Button disabled={isHandingOut} onClick={() => void handOut()}>
            Download all that is known
          </Button>
        )}
      </div>
    </>
  );
}
