import type { Page } from "../../../../../src/base/page.js";
import { hasScopes, session } from "../api/session.js";
import { DialogButton } from "../components/dialog.js";
import { Empty, LoadingList } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { people as words } from "../words/en/people.js";
import { InviteForm } from "./person-form.js";
import { PersonRow } from "./person-row.js";

/** Number of staff members per page. */
const PAGE = 200;

/** Lists the organization's staff members and their roles. */
export function PeopleTab() {
  const people = useLoad("people", (calls) => everyPage((page) => calls.people.list({ page, size: PAGE })));
  const mayInvite = hasScopes("people:manage");
  return (
    <>
      <div class="row spread">
        <p class="hint">{words.about}</p>
        {mayInvite && session.hasMail && (
          <DialogButton
            icon="plus"
            text={words.invite}
            kind="primary"
            dialog={(close) => <InviteForm onClose={close} onSaved={people.reload} />}
          />
        )}
      </div>
      {mayInvite && !session.hasMail && <NoMail />}
      <LoadingList
        of={people}
        empty={
          <Empty isPanel title={words.nobody}>
            {words.nobodyYet}
          </Empty>
        }
      >
        {(person) => <PersonRow key={person.id} person={person} onChanged={people.reload} />}
      </LoadingList>
    </>
  );
}

/** If the server sends no email, its operator invites staff on the command line. */
function NoMail() {
  return (
    <section class="note" aria-label={words.noMail}>
      <div class="stack tight">
        <p>{words.noMail}</p>
        <p>{words.noMailWay}</p>
        <pre>
          {[
            "loyalty-kit people add you@example.com --role owner \\",
            `  --organization ${session.organizationId} --database DATABASE`,
          ].join("\n")}
        </pre>
      </div>
    </section>
  );
}

/**
 * Reads all pages of a list, one after another.
 * @param read reads the page with the given number, starting from 0.
 */
async function everyPage<T>(
  read: (page: number) => Promise<Pick<Page<T>, "content" | "totalPages">>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; ; page += 1) {
    const { content, totalPages } = await read(page);
    all.push(...content);
    if (page + 1 >= totalPages) return all;
  }
}
