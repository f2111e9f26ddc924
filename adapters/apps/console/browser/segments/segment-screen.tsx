import { useState } from "preact/hooks";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import type { Segment } from "../../../../../src/segments/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { BackLink, Link, navigateNow } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { DayChart } from "../components/day-chart.js";
import { Dialog, DialogButton } from "../components/dialog.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { useSave } from "../components/form.js";
import { useInterval, useLoad } from "../components/load.js";
import { Pager } from "../components/pager.js";
import { showToast } from "../components/toasts.js";
import { formatCustomerName } from "../customers/customer-name.js";
import { CustomerSearch } from "../customers/customer-search.js";
import { numberText } from "../words/en/forms.js";
import { why } from "../words/en/segment-explanations.js";
import { savedSegments } from "../words/en/segments.js";
import { type FilterOptions, noFilterOptions, optionNames, useFilterOptions } from "./filter-options.js";
import { formatSentence } from "./filter-sentence.js";
import { parseGroup } from "./filter-tree.js";
import { SegmentActions } from "./segment-actions.js";
import { SegmentBadges, SegmentDot } from "./segment-badges.js";
import { EditDetails } from "./segment-details.js";
import { WhyButton, WhyDialog } from "./why-dialog.js";

const PAGE_SIZE = 25;

const ranges = [7, 30, 90] as const;

const SETTLING_MS = 2_000;

/** The screen for a saved segment. Shows its filter and members, and offers actions on the members. */
export function SegmentScreen({ screenLocation }: ScreenProps) {
  const { id: slug } = screenLocation;
  const loadedSegment = useLoad(slug, (calls) => calls.segments.get(slug));
  useInterval(SETTLING_MS, () => {
    if (loadedSegment.value?.isRecounting && !loadedSegment.isLoading) loadedSegment.reload();
  });
  return (
    <Loading data={loadedSegment} height="20rem" missing={<NotFound />}>
      {(segment) => (
        <SegmentDetailsView segment={segment} onSaved={loadedSegment.set} onChanged={loadedSegment.reload} />
      )}
    </Loading>
  );
}

interface OneProps {
  readonly segment: Segment;
  readonly onSaved: (segment: Segment) => void;
  readonly onChanged: () => void;
}

function SegmentDetailsView({ segment, onSaved, onChanged }: OneProps) {
  const { slug, name, description, color, members, filter } = segment;
  const lists = useFilterOptions();
  const options = lists.value ?? noFilterOptions;
  const tree = parseGroup(filter);
  return (
    <>
      <BackLink to="/segments" text={savedSegments.back} />
      <PageHead
        documentTitle={name}
        title={
          <>
            <SegmentDot color={color} />
            <bdi>{name}</bdi>
          </>
        }
      >
        {hasScopes("segment:write") && (
          <>
            <DialogButton
              text={savedSegments.details}
              dialog={(close) => (
                <EditDetails
                  segment={segment}
                  onClose={close}
                  onSaved={(changed) => {
                    onSaved(changed);
                    close();
                    showToast(savedSegments.wasSaved(changed.name));
                  }}
                />
              )}
            />
            <Link class="button" to={`/segments/${encodeURIComponent(slug)}/edit`}>
              {savedSegments.change}
            </Link>
            <DialogButton
              kind="danger"
              text={savedSegments.delete}
              dialog={(close) => (
                <DeleteSegment
                  segment={segment}
                  lists={options}
                  onClose={close}
                  onDeleted={() => {
                    showToast(savedSegments.wasDeleted(name));
                    navigateNow("/segments");
                  }}
                />
              )}
            />
          </>
        )}
      </PageHead>
      <div class="halves">
        <div class="stack">
          <section class="panel padded stack" aria-label={savedSegments.about}>
            <p class="total number">
              {members === null ? "–" : numberText(members)}{" "}
              <span class="quiet">
                {members === null ? savedSegments.hidden : savedSegments.customersNoun(members)}
              </span>
            </p>
            <div class="row">
              <SegmentBadges segment={segment} />
            </div>
            {description !== null && (
              <p>
                <bdi>{description}</bdi>
              </p>
            )}
            <p class="sentence quiet">
              <bdi>
                {tree === null || lists.value === null ? "" : formatSentence(tree, optionNames(options))}
              </bdi>
            </p>
            {members !== null && (
              <SegmentActions
                filter={{ operator: "AND", conditions: [{ segment: slug }] }}
                segment={slug}
                total={members}
                tags={options.tags}
                onChanged={onChanged}
              />
            )}
          </section>
          {members !== null && <SegmentChart segment={segment} />}
        </div>
        {members !== null && <Members segment={segment} lists={options} />}
      </div>
    </>
  );
}

/**
 * A chart of a segment's size at the end of each day. If the segment emits events, the chart also shows how many customers entered
 * and left the segment.
 */
function SegmentChart({ segment: { slug, updatedAt } }: { readonly segment: Segment }) {
  const [range, setRange] = useState<number>(30);
  const report = useLoad(`${slug} ${range} ${updatedAt}`, (calls) =>
    calls.segments.statistics(slug, { days: range }),
  );
  return (
    <>
      <div class="row">
        {ranges.map((each) => (
          <Button
            key={each}
            text={savedSegments.days(each)}
            isPressed={each === range}
            onClick={() => setRange(each)}
          />
        ))}
      </div>
      <Loading data={report} height="14rem">
        {({ days }) => {
          // Days without a count stay empty, so that the first few days of a segment are no giant bars.
          const listPoints = (field: "members" | "entered" | "left") =>
            days.map(({ date, [field]: value }) => ({ day: date, value }));
          const isKnown = (points: ReturnType<typeof listPoints>) =>
            points.some(({ value }) => value !== null);
          const members = listPoints("members");
          const moves = [
            [savedSegments.came, listPoints("entered")],
            [savedSegments.went, listPoints("left")],
          ] as const;
          return !isKnown(members) ? (
            <p class="quiet">{savedSegments.curveLater}</p>
          ) : (
            <>
              <DayChart title={savedSegments.curve} isLevel points={members} />
              {moves.map(
                ([title, points]) =>
                  isKnown(points) && <DayChart key={title} title={title} isLevel={false} points={points} />,
              )}
            </>
          );
        }}
      </Loading>
    </>
  );
}

interface MembersProps {
  readonly segment: Segment;
  readonly lists: FilterOptions;
}

/** Lists a segment's members, newest customers first. */
function Members({ segment, lists }: MembersProps) {
  const { slug, updatedAt } = segment;
  const [explainedUser, setExplainedUser] = useState<Contact | null>(null);
  const [page, setPage] = useState(0);
  const members = useLoad(`${slug} ${updatedAt} ${page}`, (calls) =>
    calls.segments.members(slug, { page, size: PAGE_SIZE, sort: "createdAt,desc" }),
  );
  return (
    <section class="panel padded stack" aria-label={savedSegments.members}>
      <h2>{savedSegments.members}</h2>
      <Loading data={members} height="3.125rem" count={Math.min(segment.members ?? 0, PAGE_SIZE)}>
        {({ content, totalElements }) => (
          <>
            {totalElements === 0 && <p class="quiet">{savedSegments.nobody}</p>}
            <ul class="sample">
              {content.map((user) => (
                <li key={user.id} class="member">
                  <div>
                    <Link class="sample-name" to={`/customers/${encodeURIComponent(user.id)}`}>
                      <bdi>{formatCustomerName(user)}</bdi>
                    </Link>
                    <br />
                    <bdi class="quiet">{user.email}</bdi>
                  </div>
                  <WhyButton segment={segment} customer={user} lists={lists} />
                </li>
              ))}
            </ul>
            <Pager
              noun={savedSegments.noun}
              page={page}
              size={PAGE_SIZE}
              total={totalElements}
              onPage={setPage}
            />
          </>
        )}
      </Loading>
      {hasScopes("user:read") && <CustomerSearch label={why.anybody} onFound={setExplainedUser} />}
      {explainedUser !== null && (
        <WhyDialog
          segment={segment}
          customer={explainedUser}
          lists={lists}
          onClose={() => setExplainedUser(null)}
        />
      )}
    </section>
  );
}

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
function DeleteSegment({ segment: { slug, name }, lists, onClose, onDeleted }: DeleteSegmentProps) {
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
  const loadedAutomation = useLoad(id, async (calls) => (isAllowed ? calls.automations.get(id) : null));
  const name = <bdi>{loadedAutomation.value?.name ?? id}</bdi>;
  return (
    <>
      {savedSegments.usedBy.automation}{" "}
      {isAllowed ? <Link to={`/automations/${encodeURIComponent(id)}`}>{name}</Link> : name}
    </>
  );
}
