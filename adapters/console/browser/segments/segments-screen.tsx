import { useEffect, useState } from "preact/hooks";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { keepInAddress, Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { nameOf } from "../customers/contact-list.js";
import { useLoad } from "../parts/load.js";
import { Failed, Loading } from "../parts/states.js";
import { numberText } from "../parts/words.js";
import { FilterBuilder } from "./filter-builder.js";
import { noLists, useFilterLists } from "./filter-lists.js";
import { FilterText } from "./filter-text.js";
import { filterOf, type Group, groupIn, isFinished, newGroup } from "./filter-tree.js";
import { SegmentActions } from "./segment-actions.js";
import { builder } from "./words/conditions.js";

const EDIT_MS = 30;
const SAMPLE = 10;

/** Finds customers by tags and by what they did: the total and a sample follow each edit. */
export function SegmentsScreen({ place }: ScreenProps) {
  const [linked] = useState(() => place.query.get("filter") ?? "");
  const [tree, setTree] = useState<Group>(() => groupIn(linked) ?? newGroup());
  const [turn, setTurn] = useState(0);
  const lists = useFilterLists();
  const filter = filterOf(tree);
  const text = filter === null ? "" : JSON.stringify(filter);
  const found = useLoad(
    text,
    async (calls) => (filter === null ? null : calls.segments.query({ filter, size: SAMPLE })),
    EDIT_MS,
  );
  useEffect(() => keepInAddress({ filter: text }), [text]);
  const isWrong = found.error !== null && filter !== null;
  // What is wrong with a condition stands there.
  const isAtCondition = isWrong && Object.keys(found.error?.fields ?? {}).length > 0;
  const isRefused = isWrong && !isAtCondition;
  const isMarked = isAtCondition || (filter === null && !isFinished(tree));
  const page = filter === null || isAtCondition ? null : found.value;
  return (
    <>
      <PageHead title="Segments" />
      {lists.error !== null ? (
        <Failed error={lists.error} onRetry={lists.reload} />
      ) : (
        <div class="halves segment-halves">
          <p class="total number" aria-live="polite">
            {page === null ? "–" : numberText(page.totalElements)}{" "}
            <span class="quiet">{page?.totalElements === 1 ? "customer" : "customers"}</span>
          </p>
          <div class="stack">
            <Loading of={lists} height="9rem">
              {(all) => <FilterBuilder tree={tree} lists={all} turn={turn} onChange={setTree} />}
            </Loading>
            <FilterText text={text} onChange={setTree} />
          </div>
          <section class="panel padded stack" aria-label="Who is found">
            {filter === null && linked !== "" && groupIn(linked) === null && (
              <p class="note warn">The link has no filter that can be read.</p>
            )}
            {isRefused && found.error !== null && <Failed error={found.error} onRetry={found.reload} />}
            {isMarked && <p class="quiet">{builder.notDone}</p>}
            {filter === null && isFinished(tree) && <p class="quiet">{builder.nothing}</p>}
            {page !== null && filter !== null && (
              <>
                <SegmentActions
                  filter={filter}
                  total={page.totalElements}
                  tags={(lists.value ?? noLists).tags}
                  onChanged={() => {
                    lists.reload();
                    found.reload();
                    setTurn((before) => before + 1);
                  }}
                />
                <ul class="sample" aria-label="The first of them">
                  {page.content.map((user) => (
                    <li key={user.id}>
                      <Link class="sample-name" to={`/customers/${encodeURIComponent(user.id)}`}>
                        <bdi>{nameOf(user)}</bdi>
                      </Link>
                      <bdi class="quiet">{shownEmail(user.email)}</bdi>
                    </li>
                  ))}
                </ul>
              </>
            )}
          </section>
        </div>
      )}
    </>
  );
}
