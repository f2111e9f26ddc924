import type { Segment } from "../../../../src/resources/segment.js";
import { may } from "../api/session.js";
import { BackLink, Link, leaveFor } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { DialogButton } from "../parts/dialog.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Loading } from "../parts/states.js";
import { tell } from "../parts/toasts.js";
import { numberText } from "../words/en/forms.js";
import { saved } from "../words/en/segments.js";
import { DeleteSegment } from "./delete-segment.js";
import { namesIn, noLists, useFilterLists } from "./filter-lists.js";
import { sentenceOf } from "./filter-sentence.js";
import { groupOf } from "./filter-tree.js";
import { Members } from "./members.js";
import { SegmentActions } from "./segment-actions.js";
import { SegmentCurve } from "./segment-curve.js";
import { EditDetails } from "./segment-details.js";
import { SegmentDot } from "./segment-dot.js";
import { SegmentMarks } from "./segment-marks.js";

const SETTLING_MS = 2_000;

/** One saved segment: whom it looks for, who is in it, and what can be done with them. */
export function SegmentScreen({ place }: ScreenProps) {
  const { id: slug } = place;
  const found = useLoad(slug, (calls) => calls.segments.get(slug));
  useEvery(SETTLING_MS, () => {
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
  const lists = useFilterLists();
  const known = lists.value ?? noLists;
  const tree = groupOf(filter);
  return (
    <>
      <BackLink to="/segments" text={saved.back} />
      <PageHead
        tab={name}
        title={
          <>
            <SegmentDot color={color} />
            <bdi>{name}</bdi>
          </>
        }
      >
        {may("segment:write") && (
          <>
            <DialogButton
              text={saved.details}
              dialog={(close) => (
                <EditDetails
                  segment={segment}
                  onClose={close}
                  onSaved={(changed) => {
                    onSaved(changed);
                    close();
                    tell(saved.wasSaved(changed.name));
                  }}
                />
              )}
            />
            <Link class="button" to={`/segments/${encodeURIComponent(slug)}/edit`}>
              {saved.change}
            </Link>
            <DialogButton
              kind="danger"
              text={saved.delete}
              dialog={(close) => (
                <DeleteSegment
                  segment={segment}
                  lists={known}
                  onClose={close}
                  onDeleted={() => {
                    tell(saved.wasDeleted(name));
                    leaveFor("/segments");
                  }}
                />
              )}
            />
          </>
        )}
      </PageHead>
      <div class="halves">
        <div class="stack">
          <section class="panel padded stack" aria-label={saved.about}>
            <p class="total number">
              {members === null ? "–" : numberText(members)}{" "}
              <span class="quiet">{members === null ? saved.hidden : saved.customersNoun(members)}</span>
            </p>
            <div class="row">
              <SegmentMarks segment={segment} />
            </div>
            {description !== null && (
              <p>
                <bdi>{description}</bdi>
              </p>
            )}
            <p class="quiet">
              <bdi>{tree === null || lists.value === null ? "" : sentenceOf(tree, namesIn(known))}</bdi>
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
          {members !== null && <SegmentCurve segment={segment} />}
        </div>
        {members !== null && <Members segment={segment} lists={known} />}
      </div>
    </>
  );
}
