import { useState } from "preact/hooks";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import type { Segment } from "../../../../../src/segments/schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { Pager } from "../components/pager.js";
import { nameOf } from "../customers/customer-name.js";
import { CustomerSearch } from "../customers/customer-search.js";
import { why } from "../words/en/segment-explanations.js";
import { savedSegments } from "../words/en/segments.js";
import type { FilterOptions } from "./filter-options.js";
import { WhyButton, WhyDialog } from "./why-dialog.js";

const SIZE = 25;

interface MembersProps {
  readonly segment: Segment;
  readonly lists: FilterOptions;
}

/** Lists a segment's members, newest customers first. */
export function Members({ segment, lists }: MembersProps) {
  const { slug, updatedAt } = segment;
  const [asked, setAsked] = useState<Contact | null>(null);
  const [page, setPage] = useState(0);
  const members = useLoad(`${slug} ${updatedAt} ${page}`, (calls) =>
    calls.segments.members(slug, { page, size: SIZE, sort: "createdAt,desc" }),
  );
  return (
    <section class="panel padded stack" aria-label={savedSegments.members}>
      <h2>{savedSegments.members}</h2>
      <Loading of={members} height="3rem" count={5}>
        {({ content, totalElements }) => (
          <>
            {totalElements === 0 && <p class="quiet">{savedSegments.nobody}</p>}
            <ul class="sample">
              {content.map((user) => (
                <li key={user.id} class="member">
                  <div>
                    <Link class="sample-name" to={`/customers/${encodeURIComponent(user.id)}`}>
                      <bdi>{nameOf(user)}</bdi>
                    </Link>
                    <br />
                    <bdi class="quiet">{user.email}</bdi>
                  </div>
                  <WhyButton segment={segment} customer={user} lists={lists} />
                </li>
              ))}
            </ul>
            <Pager noun={savedSegments.noun} page={page} size={SIZE} total={totalElements} onPage={setPage} />
          </>
        )}
      </Loading>
      {hasScopes("user:read") && <CustomerSearch label={why.anybody} onFound={setAsked} />}
      {asked !== null && (
        <WhyDialog segment={segment} customer={asked} lists={lists} onClose={() => setAsked(null)} />
      )}
    </section>
  );
}
