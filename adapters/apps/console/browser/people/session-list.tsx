import type { PersonSession } from "../../../../../src/people/schema.js";
import { Button } from "../components/button.js";
import { momentText } from "../words/en/forms.js";
import { devices as words } from "../words/en/people.js";

interface SessionListProps {
  readonly sessions: readonly (PersonSession & { readonly isCurrent?: boolean })[];
  readonly isBusy: boolean;
  readonly onEnd: (session: PersonSession) => void;
}

/** Lists a staff member's sessions, most recently used first. Every session except the current one can be ended. */
export function SessionList({ sessions, isBusy, onEnd }: SessionListProps) {
  const sortedSessions = sessions.toSorted((one, other) => (one.lastSeenAt < other.lastSeenAt ? 1 : -1));
  if (sessions.length === 0) return <p class="quiet">{words.none}</p>;
  return (
    <ul class="list">
      {sortedSessions.map((session) => (
        <li key={session.id}>
          <div class="grow">
            <p>
              <strong>
                <bdi>{session.device}</bdi>
              </strong>{" "}
              {session.isCurrent && <span class="chip good">{words.here}</span>}
            </p>
            <p class="quiet">{words.since(momentText(session.createdAt), momentText(session.lastSeenAt))}</p>
          </div>
          {session.isCurrent !== true && (
            <Button
              text={words.signOut}
              aria-label={words.signOutOf(session.device)}
              disabled={isBusy}
              onClick={() => onEnd(session)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
