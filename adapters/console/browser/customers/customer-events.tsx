import { useState } from "preact/hooks";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { Button } from "../parts/button.js";
import { download } from "../parts/download.js";
import { EventLines, type EventReading, nothingRead, readOn } from "../parts/events.js";
import { type Loaded, useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Loading } from "../parts/states.js";
import { attempt } from "../parts/toasts.js";

const SIZE = 20;

/** The latest events of a customer, read when they are asked for, and a file of all that is known. */
export function CustomerEvents({ userId }: { readonly userId: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!may("webhook:manage")) return null;
  return (
    <section class="panel padded stack tight" aria-label="Events">
      <div class="row spread">
        <h2>Events</h2>
        {!isOpen && <Button text="Show events" onClick={() => setOpen(true)} />}
      </div>
      {isOpen && <Events userId={userId} />}
    </section>
  );
}

function Events({ userId }: { readonly userId: string }) {
  const [page, setPage] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const reading: Loaded<EventReading> = useLoad(userId, (calls) =>
    readOn(reading.value ?? nothingRead, { userId }, calls),
  );
  /** The audit trail notes it. */
  const downloadAll = async () => {
    setBusy(true);
    await attempt(async () => {
      const dossier = await api.users.dossier(userId);
      download(`${userId}.json`, JSON.stringify(dossier, null, 2), "application/json");
    });
    setBusy(false);
  };
  return (
    <Loading of={reading} height="2.5rem" count={4}>
      {({ events }) => (
        <>
          {events.length === 0 && <p class="quiet">No event of this customer is kept any more.</p>}
          <div>
            <EventLines events={events.toReversed().slice(page * SIZE, (page + 1) * SIZE)} />
          </div>
          <Pager noun="events" page={page} size={SIZE} total={events.length} onPage={setPage} />
          <div class="row">
            <Button text="Look again" disabled={reading.isLoading} onClick={reading.reload} />
            {may("user:read", "user_tag:read", "pass:read") && (
              <Button
                text="Download all that is known"
                disabled={isBusy}
                onClick={() => void downloadAll()}
              />
            )}
          </div>
        </>
      )}
    </Loading>
  );
}
