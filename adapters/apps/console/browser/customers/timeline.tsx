import { useEffect, useRef, useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import { hasScopes } from "../api/session.js";
import { type ActorNames, namedActorText, peopleNames } from "../components/actor-names.js";
import { Button } from "../components/button.js";
import { type EventFeed, emptyFeed, RelativeTime, readMore } from "../components/events.js";
import { Loading } from "../components/feedback.js";
import { type LoadedData, useInterval, useLoad } from "../components/load.js";
import { history as words } from "../words/en/customer.js";
import { isPending, MailRow } from "./mail-row.js";
import { emptySource, mergeEntries, type PagedSource, readPages } from "./merge-pages.js";
import type { TimelineEntry } from "./timeline-entry.js";
import { createReaders, entriesOfLog, logQuery, MOST_CARDS, PAGE } from "./timeline-sources.js";

const RELOAD_MS = 2_000;

/** Maximum number of listed events per customer. */
const MOST_EVENTS = 2_000;

interface TimelineProps {
  readonly customer: User;
  readonly passes: readonly WalletPassDetail[];
  /** A number that changes after each action on the screen, so that the timeline is reloaded. */
  readonly turn: number;
}

/**
 * Shows a customer's history, newest first, one page at a time. Events from the event log can take longer to load and are added
 * when they arrive.
 */
export function Timeline({ customer, passes, turn }: TimelineProps) {
  const { id } = customer;
  const [page, setPage] = useState(0);
  const [again, setAgain] = useState(0);
  const state = `${id} ${turn} ${again} ${passes.map((pass) => pass.id).join(" ")}`;
  const kept = useRef<{
    readonly state: string;
    readonly sources: readonly PagedSource<TimelineEntry>[];
  } | null>(null);
  const cards = useLoad(`${state} ${page}`, async (calls) => {
    const readers = createReaders(calls, passes);
    const before = kept.current?.state === state ? kept.current.sources : readers.map(() => emptySource);
    const sources = await readPages(before, readers, (page + 1) * PAGE + 1);
    kept.current = { state, sources };
    return sources;
  });
  const log: LoadedData<EventFeed> = useLoad(`${id} ${turn}`, async (calls) => {
    return hasScopes("webhook:manage")
      ? readMore(log.value ?? emptyFeed, logQuery(id), calls, { most: MOST_EVENTS })
      : emptyFeed;
  });
  const names = useLoad("names", peopleNames);
  // Go back to the first page, because new entries appear there.
  useEffect(() => setPage(0), [turn]);

  const sources = cards.value ?? [];
  const told = {
    entries: log.value === null ? [] : entriesOfLog(customer, passes, log.value.events),
    pages: 1,
    isWhole: true,
  };
  const entries = mergeEntries([...sources, told]);
  const shown = entries.slice(page * PAGE, (page + 1) * PAGE);
  const hasOlder = entries.length > (page + 1) * PAGE || sources.some(({ isWhole }) => !isWhole);
  useInterval(RELOAD_MS, () => {
    const isMailed = shown.some(({ mail }) => mail !== null && isPending(mail));
    if (page === 0 && isMailed && !cards.isLoading) setAgain(again + 1);
  });
  const look = () => {
    setPage(0);
    setAgain(again + 1);
    log.reload();
  };
  return (
    <section class="panel padded stack tight" aria-label={words.title}>
      <div class="row spread">
        <h2>{words.title}</h2>
        <Button text={words.lookAgain} disabled={cards.isLoading || log.isLoading} onClick={look} />
      </div>
      {passes.length > MOST_CARDS && <p class="quiet">{words.moreCards(MOST_CARDS)}</p>}
      <Loading of={log} />
      <Loading of={cards} height="2.5rem" count={4}>
        {() => (
          <>
            {log.value === null && log.error === null && <p class="quiet">{words.reading}</p>}
            <ol class="history">
              {shown.map((entry) =>
                entry.mail === null ? (
                  <EntryLine
                    key={entry.id}
                    entry={entry}
                    names={names.value ?? nobody}
                    hasCards={passes.length > 1}
                  />
                ) : (
                  <MailRow key={entry.id} mail={entry.mail} card={passes.length > 1 ? entry.card : null} />
                ),
              )}
            </ol>
            {(page > 0 || hasOlder) && (
              <nav class="row" aria-label={words.pages}>
                <Button text={words.newer} disabled={page === 0} onClick={() => setPage(page - 1)} />
                <Button
                  text={words.older}
                  disabled={!hasOlder || cards.isLoading}
                  onClick={() => setPage(page + 1)}
                />
                <span class="quiet number">{words.page(page + 1)}</span>
              </nav>
            )}
          </>
        )}
      </Loading>
    </section>
  );
}

const nobody: ActorNames = new Map();

interface EntryLineProps {
  readonly entry: TimelineEntry;
  readonly names: ActorNames;
  /** Whether the customer has several cards, so that each entry names its card. */
  readonly hasCards: boolean;
}

function EntryLine({ entry, names, hasCards }: EntryLineProps) {
  const { text, actor, card, note, at } = entry;
  const about = [actor === null ? null : namedActorText(actor, names), hasCards ? card : null].filter(
    (each) => each !== null,
  );
  return (
    <li>
      <span class="grow">
        <bdi>{text}</bdi>
        {note !== null && (
          <>
            <br />
            <bdi>{words.quoted(note)}</bdi>
          </>
        )}
        {about.length > 0 && (
          <>
            <br />
            <bdi class="quiet">{about.join(" · ")}</bdi>
          </>
        )}
      </span>
      <RelativeTime at={at} />
    </li>
  );
}
