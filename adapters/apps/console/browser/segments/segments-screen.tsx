import type { Segment } from "../../../../../src/segments/schema.js";
import { Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { Empty, LoadingList } from "../components/feedback.js";
import { Icon } from "../components/icons.js";
import { useInterval, useLoad } from "../components/load.js";
import { savedSegments } from "../words/en/segments.js";
import { NewSegmentScreen } from "./new-segment-screen.js";
import { SegmentBadges } from "./segment-badges.js";
import { SegmentDot } from "./segment-dot.js";

const SETTLING_MS = 2_000;

/** Lists the saved segments with their member counts. If the URL contains a filter, shows the filter builder instead. */
export function SegmentsScreen({ screenLocation }: ScreenProps) {
  return screenLocation.query.has("filter") ? (
    <NewSegmentScreen screenLocation={screenLocation} />
  ) : (
    <SavedSegments />
  );
}

function SavedSegments() {
  const segments = useLoad("segments", (calls) => calls.segments.list());
  useInterval(SETTLING_MS, () => {
    if (!segments.isLoading && segments.value?.some(({ isRecounting }) => isRecounting)) segments.reload();
  });
  const fresh = (
    <Link class="button primary" to="/segments-new">
      <Icon name="plus" /> {savedSegments.fresh}
    </Link>
  );
  return (
    <>
      <PageHead title={savedSegments.title}>{segments.value?.length !== 0 && fresh}</PageHead>
      <LoadingList
        data={segments}
        empty={
          <Empty isPanel title={savedSegments.none} action={fresh}>
            {savedSegments.noneHint}
          </Empty>
        }
      >
        {(segment) => <SegmentRow key={segment.id} segment={segment} />}
      </LoadingList>
    </>
  );
}

function SegmentRow({ segment }: { readonly segment: Segment }) {
  const { slug, name, description, color, members } = segment;
  return (
    <li class="row segment-line">
      <div class="grow">
        <Link class="sample-name" to={`/segments/${encodeURIComponent(slug)}`}>
          <SegmentDot color={color} />
          <bdi>{name}</bdi>
        </Link>
        {description !== null && (
          <p class="quiet">
            <bdi>{description}</bdi>
          </p>
        )}
      </div>
      <SegmentBadges segment={segment} />
      <span class="number">
        {members === null ? (
          <span class="quiet">{savedSegments.hidden}</span>
        ) : (
          savedSegments.customers(members)
        )}
      </span>
    </li>
  );
}
