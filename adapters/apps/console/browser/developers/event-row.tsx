import { useState } from "preact/hooks";
import type { Actor } from "../../../../../src/access/actor-schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { describeActor, findActorName } from "../components/actor-names.js";
import { CodeDialog } from "../components/code-dialog.js";
import { DialogButton } from "../components/dialog.js";
import { RelativeTime } from "../components/events.js";
import { CustomerLink } from "../customers/customer-link.js";
import { type EventNames, type ListedEvent, parseEventSubject } from "../customers/event-names.js";
import { eventLog as words } from "../words/en/webhooks.js";

interface EventRowProps {
  readonly event: ListedEvent;
  readonly names: EventNames;
}

/** A row for an event. Shows the event's type, actor, customer, card, and time, and expands to show its data. */
export function EventRow({ event, names }: EventRowProps) {
  const { type, timestamp, actor } = event;
  const subject = parseEventSubject(event);
  const userId = type === "user.deleted" ? null : names.findCustomerId(subject);
  const { templateId } = subject;
  const [isOpen, setOpen] = useState(false);
  const card = templateId === null ? null : (names.resources.get(templateId) ?? null);
  return (
    <div class="event">
      <div class="event-line">
        <button type="button" class="kind" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <code>{type}</code>
        </button>
        <span class="about">
          {userId !== null && <CustomerLink id={userId} name={names.users.get(userId) ?? null} />}
          {templateId !== null && card !== null && (
            <Link to={`/cards/${encodeURIComponent(templateId)}/design`}>
              <bdi>{card}</bdi>
            </Link>
          )}
          <EventActor actor={actor} names={names} />
        </span>
        <RelativeTime at={timestamp} />
      </div>
      {isOpen && <EventData event={event} />}
    </div>
  );
}

/** Shows who caused an event: the host's subject, the signed-in staff member, the token or app by name, or the automation. */
function EventActor({ actor, names }: { readonly actor: Actor; readonly names: EventNames }) {
  const { kind, id, subject } = actor;
  const name = id === null ? undefined : names.resources.get(id);
  if (kind === "automation" && id !== null && hasScopes("automation:manage")) {
    return (
      <span class="quiet">
        {words.by} <Link to={`/automations/${encodeURIComponent(id)}`}>{describeActor(actor)}</Link>
      </span>
    );
  }
  const actorName = findActorName(actor, names.resources);
  const namedActor = actorName === null ? actor : { ...actor, subject: actorName };
  return (
    <span class="quiet">
      {words.by} <bdi>{describeActor(namedActor)}</bdi>
      {subject !== null && actorName === null && name !== undefined && (
        <>
          , {words.with} <bdi>{name}</bdi>
        </>
      )}
    </span>
  );
}

/** Shows an event's full data as JSON, with a button that shows how to read the event through the API. */
export function EventData({ event }: { readonly event: ListedEvent }) {
  return (
    <div class="stack tight">
      <pre>{JSON.stringify(event, null, 2)}</pre>
      <div class="row">
        <DialogButton
          text={words.oneAsCode}
          dialog={(close) => (
            <CodeDialog call={{ group: "events", name: "get", args: [event.id] }} onClose={close} />
          )}
        />
      </div>
    </div>
  );
}
