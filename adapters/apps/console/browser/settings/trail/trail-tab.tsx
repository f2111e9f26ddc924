import { useState } from "preact/hooks";
import type { AuditEntry, AuditQuery } from "../../../../../../src/access/audit-schema.js";
import { type ActorNames, describeNamedActor, loadActorNames } from "../../components/actor-names.js";
import { Button } from "../../components/button.js";
import { RelativeTime } from "../../components/events.js";
import { Empty, Loading } from "../../components/feedback.js";
import { useLoad } from "../../components/load.js";
import { trail as words } from "../../words/en/trail.js";
import { loadEntriesBefore } from "./newest-acts.js";

const PAGE_SIZE = 20;

/** Lists the audit trail's entries, newest first, one page at a time. */
export function TrailTab() {
  /** The `before` of each page that the user has opened so far; the last is the current page. */
  const [pageStarts, setPageStarts] = useState<readonly (number | null)[]>([null]);
  const currentStart = pageStarts.at(-1) ?? null;
  const page = useLoad(`trail ${currentStart}`, async (calls) => {
    const read = async (query: AuditQuery) => (await calls.audit.list(query)).content;
    const [entriesPage, names] = await Promise.all([
      loadEntriesBefore(read, PAGE_SIZE, currentStart),
      loadActorNames(calls),
    ]);
    return { ...entriesPage, names };
  });
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p class="hint">{words.about}</p>
      <Loading data={page} height="2.5rem" count={6}>
        {({ entries, names, before }) =>
          entries.length === 0 ? (
            <Empty title={words.nothing}>{words.nothingYet}</Empty>
          ) : (
            <>
              <ol class="history">
                {entries.map((entry) => (
                  <EntryRow key={entry.sequence} entry={entry} names={names} />
                ))}
              </ol>
              {(pageStarts.length > 1 || before > 0) && (
                <nav class="row" aria-label={words.pages}>
                  <Button
                    text={words.newer}
                    disabled={pageStarts.length === 1 || page.isLoading}
                    onClick={() => setPageStarts(pageStarts.slice(0, -1))}
                  />
                  <Button
                    text={words.older}
                    disabled={before === 0 || page.isLoading}
                    onClick={() => setPageStarts([...pageStarts, before])}
                  />
                </nav>
              )}
            </>
          )
        }
      </Loading>
    </section>
  );
}

interface EntryRowProps {
  readonly entry: AuditEntry;
  readonly names: ActorNames;
}

function EntryRow({ entry: { action, details, target, actor, createdAt }, names }: EntryRowProps) {
  const actionTexts: Readonly<Record<string, string>> = words.acts;
  const targetName = findTargetName(details) ?? (target === null ? null : names.get(target)) ?? null;
  return (
    <li>
      <span class="grow">
        {actionTexts[action] ?? action}
        {targetName !== null && (
          <>
            : <bdi>{targetName}</bdi>
          </>
        )}
        <br />
        <bdi class="quiet">{describeNamedActor(actor, names)}</bdi>
      </span>
      <RelativeTime at={createdAt} />
    </li>
  );
}

/** Returns the name of the action's target, or `null` if the entry's details don't contain one. */
function findTargetName({ name, origin }: AuditEntry["details"]): string | null {
  const [first = null] = [name, origin].filter((each) => typeof each === "string");
  return first;
}
