import type { Segment } from "../../../../../src/segments/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText } from "../components/feedback.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { savedSegments } from "../words/en/segments.js";
import type { FilterOptions } from "./filter-options.js";

interface DeleteSegmentProps {
  readonly segment: Segment;
  readonly lists: FilterOptions;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/**
 * A dialog that asks for confirmation before deleting a segment. If the server refuses because the segment is in use, the dialog
 * links to everything that uses it.
 */
export function DeleteSegment({ segment: { slug, name }, lists, onClose, onDeleted }: DeleteSegmentProps) {
  const { isBusy, error, save } = useSave();
  const users = error?.code === "segment_in_use" ? error.params : [];
  return (
    <Dialog title={savedSegments.deleteTitle(name)} onClose={onClose}>
      {users.length === 0 ? (
        <p>{savedSegments.deleteHint}</p>
      ) : (
        <div class="note bad" role="alert">
          <p>{savedSegments.inUse}</p>
          <ul>
            {users.map((user) => (
              <li key={user}>
                <UserOfSegment id={user} lists={lists} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {error !== null && users.length === 0 && <ErrorText>{error.message}</ErrorText>}
      <div class="actions">
        <Button text={savedSegments.keep} onClick={onClose} />
        <Button
          kind="danger"
          disabled={isBusy || users.length > 0}
          text={savedSegments.deleteVerb(name)}
          onClick={() =>
            void save(async () => {
              await api.segments.delete(slug);
              onDeleted();
            })
          }
        />
      </div>
    </Dialog>
  );
}

/** Links to something that uses the segment: a message or an automation, given by ID, or another segment, given by slug. */
function UserOfSegment({ id, lists }: { readonly id: string; readonly lists: FilterOptions }) {
  const { usedBy } = savedSegments;
  if (id.startsWith("msg_")) return <Link to={`/messages/${id}`}>{usedBy.message}</Link>;
  if (id.startsWith("aut_")) return <AutomationOfSegment id={id} />;
  const name = lists.segments.find(({ slug }) => slug === id)?.name ?? id;
  return (
    <>
      {usedBy.segment}{" "}
      <Link to={`/segments/${encodeURIComponent(id)}`}>
        <bdi>{name}</bdi>
      </Link>
    </>
  );
}

/** Shows an automation's name if the user may read it. */
function AutomationOfSegment({ id }: { readonly id: string }) {
  const isAllowed = hasScopes("automation:manage");
  const found = useLoad(id, async (calls) => (isAllowed ? calls.automations.get(id) : null));
  const name = <bdi>{found.value?.name ?? id}</bdi>;
  return (
    <>
      {savedSegments.usedBy.automation}{" "}
      {isAllowed ? <Link to={`/automations/${encodeURIComponent(id)}`}>{name}</Link> : name}
    </>
  );
}
