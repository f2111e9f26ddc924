import { Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { Empty, LoadingList } from "../components/feedback.js";
import { Icon } from "../components/icons.js";
import { useInterval, useLoad } from "../components/load.js";
import { savedSegments } from "../words/en/segments.js";
import { optionNames, useFilterOptions } from "./filter-options.js";
import { NewSegmentScreen } from "./new-segment-screen.js";
import { SegmentRow } from "./segment-row.js";
import { listSegmentUses, loadUses, seesAllUses } from "./segment-uses.js";

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
  const options = useFilterOptions();
  const loadedUses = useLoad("uses", loadUses);
  const names = options.value === null ? null : optionNames(options.value);
  const allUses =
    loadedUses.value === null ? null : [...loadedUses.value, ...listSegmentUses(segments.value ?? [])];
  // Rows are shown with their conditions and uses, so that the layout doesn't jump.
  const isReady =
    (options.value ?? options.error) !== null && (loadedUses.value ?? loadedUses.error) !== null;
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
        data={{ ...segments, value: isReady ? segments.value : null }}
        empty={
          <Empty isPanel title={savedSegments.none} action={fresh}>
            {savedSegments.noneHint}
          </Empty>
        }
      >
        {(segment) => {
          const uses = allUses?.filter(({ slugs }) => slugs.has(segment.slug)) ?? null;
          // Without access to messages and automations, an empty list doesn't mean that nothing uses it.
          const isKnown = seesAllUses() || (uses?.length ?? 0) > 0;
          return <SegmentRow key={segment.id} segment={segment} names={names} uses={isKnown ? uses : null} />;
        }}
      </LoadingList>
    </>
  );
}
