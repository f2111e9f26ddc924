import { useEffect, useState } from "preact/hooks";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { keepInAddress, Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { nameOf } from "../customers/contact-list.js";
import { useLoad } from "../parts/load.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { numberText } from "../parts/words.js";
import { FilterGroup } from "./filter-group.js";
import { FilterText } from "./filter-text.js";
import { changed, filterOf, type Group, groupIn, newGroup } from "./filter-tree.js";
import { SegmentActions } from "./segment-actions.js";

const EDIT_MS = 30;
const SAMPLE = 10;

/** Finds customers by their tags: the total and a sample follow each edit. */
export function SegmentsScreen({ place }: ScreenProps) {
  const [linked] = useState(() => place.query.get("filter") ?? "");
  const [tree, setTree] = useState<Group>(() => groupIn(linked) ?? newGroup());
  const tags = useLoad("tags", (calls) => calls.tags.list());
  const filter = filterOf(tree);
  const text = filter === null ? "" : JSON.stringify(filter);
  const found = useLoad(
    text,
    async (calls) => (filter === null ? null : calls.tags.query({ filter, size: SAMPLE })),
    EDIT_MS,
  );
  useEffect(() => keepInAddress({ filter: text }), [text]);
  const page = filter === null ? null : found.value;
  const noTags = (
    <Empty isPanel title="No tags yet" action={<Link to="/customers">To the customers</Link>}>
      Segments are made of tags. Give a customer the first one.
    </Empty>
  );
  return (
    <>
      <PageHead title="Segments" />
      {tags.error !== null ? (
        <Failed error={tags.error} onRetry={tags.reload} />
      ) : (
        <div class="halves">
          <div class="stack">
            <Loading of={tags} height="9rem" empty={noTags}>
              {(all) => (
                <FilterGroup
                  group={tree}
                  tags={all}
                  level={1}
                  onChange={(id, change) => setTree((before) => changed(before, id, change))}
                />
              )}
            </Loading>
            <FilterText text={text} onChange={setTree} />
          </div>
          <section class="panel padded stack" aria-label="Who is found">
            <p class="total number" aria-live="polite">
              {page === null ? "–" : numberText(page.totalElements)}{" "}
              <span class="quiet">{page?.totalElements === 1 ? "customer" : "customers"}</span>
            </p>
            {found.error !== null && <Failed error={found.error} onRetry={found.reload} />}
            {filter === null && linked !== "" && groupIn(linked) === null && (
              <p class="note warn">The link has no filter that can be read.</p>
            )}
            {filter === null && <p class="quiet">Add a tag to the filter to see whom it finds.</p>}
            {page !== null && filter !== null && (
              <>
                <SegmentActions
                  filter={filter}
                  total={page.totalElements}
                  tags={tags.value ?? []}
                  onChanged={() => {
                    tags.reload();
                    found.reload();
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
