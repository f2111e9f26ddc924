import { useState } from "preact/hooks";
import type { Segment } from "../../../../src/resources/segment.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { Link } from "../app/router.js";
import { nameOf } from "../customers/contact-list.js";
import { useLoad } from "../parts/load.js";
import { Pager } from "../parts/pager.js";
import { Loading } from "../parts/states.js";
import type { FilterLists } from "./filter-lists.js";
import { saved } from "./words/saved.js";

const SIZE = 25;

interface MembersProps {
  readonly segment: Segment;
  readonly lists: FilterLists;
}

/** Who is in a segment now, the newest customer first. */
export function Members({ segment: { slug, updatedAt } }: MembersProps) {
  const [page, setPage] = useState(0);
  const members = useLoad(`${slug} ${updatedAt} ${page}`, (calls) =>
    calls.segments.members(slug, { page, size: SIZE, sort: "createdAt,desc" }),
  );
  return (
    <section class="panel padded stack" aria-label={saved.members}>
      <h2>{saved.members}</h2>
      <Loading of={members} height="3rem" count={5}>
        {({ content, totalElements }) => (
          <>
            {totalElements === 0 && <p class="quiet">{saved.nobody}</p>}
            <ul class="sample">
              {content.map((user) => (
                <li key={user.id}>
                  <Link class="sample-name" to={`/customers/${encodeURIComponent(user.id)}`}>
                    <bdi>{nameOf(user)}</bdi>
                  </Link>
                  <bdi class="quiet">{shownEmail(user.email)}</bdi>
                </li>
              ))}
            </ul>
            <Pager noun={saved.noun} page={page} size={SIZE} total={totalElements} onPage={setPage} />
          </>
        )}
      </Loading>
    </section>
  );
}
