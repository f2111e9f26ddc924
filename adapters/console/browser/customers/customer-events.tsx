import { useState } from "preact/hooks";
import type { Dossier } from "../../../../src/customers/dossier.js";
import { get } from "../app/call.js";
import { useLoad } from "../app/load.js";
import { Button } from "../parts/button.js";
import { download } from "../parts/download.js";
import { EventLine } from "../parts/event-line.js";
import { Pager } from "../parts/pager.js";
import { Failed, Skeleton } from "../parts/states.js";

const SIZE = 20;

/** All that is known of a customer, as a file, and the events that are kept: read when they are asked for. */
export function CustomerEvents({ userId }: { readonly userId: string }) {
  const [isOpen, setOpen] = useState(false);
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
  const dossier = useLoad<Dossier>(userId, (signal) => get(`/v1/users/${userId}/dossier`, signal));
  if (dossier.error !== null) return <Failed error={dossier.error} onRetry={dossier.reload} />;
  if (dossier.value === null) return <Skeleton height="2.5rem" count={4} />;
  const all = dossier.value;
  const events = all.events.toReversed();
  return (
    <>
      {events.length === 0 && <p class="quiet">No event of this customer is kept any more.</p>}
      <div>
        {events.slice(page * SIZE, (page + 1) * SIZE).map((event) => (
          <EventLine key={event.id} event={event} />
        ))}
      </div>
      <Pager noun="events" page={page} size={SIZE} total={events.length} onPage={setPage} />
      <div class="row">
        <Button onClick={dossier.reload}>Look again</Button>
        <Button onClick={() => download(`${userId}.json`, JSON.stringify(all, null, 2), "application/json")}>
          Download all that is known
        </Button>
      </div>
    </>
  );
}
