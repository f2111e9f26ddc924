import type { Segment } from "../../../../../src/segments/schema.js";
import { hasScopes } from "../api/session.js";
import { BackLink, Link, navigateNow } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { DialogButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { numberText } from "../words/en/forms.js";
import { savedSegments } from "../words/en/segments.js";
import { DeleteSegment } from "./delete-segment.js";
import { noFilterOptions, optionNames, useFilterOptions } from "./filter-options.js";
import { formatSentence } from "./filter-sentence.js";
import { parseGroup } from "./filter-tree.js";
import { Members } from "./members.js";
import { SegmentActions } from "./segment-actions.js";
import { SegmentBadges } from "./segment-badges.js";
import { SegmentChart } from "./segment-chart.js";
import { EditDetails } from "./segment-details.js";
import { SegmentDot } from "./segment-dot.js";

const SETTLING_MS = 2_000;

/** The screen for a saved segment. Shows its filter and members, and offers actions on the members. */
export function SegmentScreen({ place }: ScreenProps) {
  const { id: slug } = place;
  const found = useLoad(slug, (calls) => calls.segments.get(slug));
  useInterval(SETTLING_MS, () => {
    if (found.value?.isRecounting && !found.isLoading) found.reload();
  });
  return (
    <Loading of={found} height="20rem" missing={<NotFound />}>
      {(segment) => <One segment={segment} onSaved={found.set} onChanged={found.reload} />}
    </Loading>
  );
}

interface OneProps {
  readonly segment: Segment;
  readonly onSaved: (segment: Segment) => void;
  readonly onChanged: () => void;
}

function One({ segment, onSaved, onChanged }: OneProps) {
  const { slug, name, description, color, members, filter } = segment;
  const lists = useFilterOptions();
  const known = lists.value ?? noFilterOptions;
  const tree = parseGroup(filter);
  return (
    <>
      <BackLink to="/segments" text={savedSegments.back} />
      <PageHead
        tab={name}
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
                  lists={known}
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
            <p class="quiet">
              <bdi>
                {tree === null || lists.value === null ? "" : formatSentence(tree, optionNames(known))}
              </bdi>
            </p>
            {members !== null && (
              <SegmentActions
                filter={{ operator: "AND", conditions: [{ segment: slug }] }}
                segment={slug}
                total={members}
                tags={known.tags}
                onChanged={onChanged}
              />
            )}
          </section>
          {members !== null && <SegmentChart segment={segment} />}
        </div>
        {members !== null && <Members segment={segment} lists={known} />}
      </div>
    </>
  );
}
