import { useEffect, useRef, useState } from "preact/hooks";
import type { Segment } from "../../../../../src/segments/schema.js";
import { Link } from "../app/router.js";
import { useLoad } from "../components/load.js";
import type { Names } from "../words/en/segment-phrases.js";
import { savedSegments as words } from "../words/en/segments.js";
import { formatSentence } from "./filter-sentence.js";
import { parseGroup } from "./filter-tree.js";
import { SegmentBadges, SegmentDot } from "./segment-badges.js";
import type { SegmentUse } from "./segment-uses.js";

const TREND_DAYS = 30;
/** A line through fewer days is too short to be seen. */
const MIN_LINE_DAYS = 4;

const TREND_WIDTH = 120;
const TREND_HEIGHT = 28;

/** How many uses to name. The others are counted. */
const MAX_NAMED = 3;

interface SegmentRowProps {
  readonly segment: Segment;
  /** The names of cards, tags and segments, or `null` if they couldn't be loaded. */
  readonly names: Names | null;
  /** What uses this segment, or `null` if that isn't known. */
  readonly uses: readonly SegmentUse[] | null;
}

/** A segment in the list: its conditions in words, what uses it, its last 30 days and its size. */
export function SegmentRow({ segment, names, uses }: SegmentRowProps) {
  const { slug, name, description, color, members, filter } = segment;
  const tree = parseGroup(filter);
  return (
    <li class="segment-line">
      <div class="grow">
        <Link class="sample-name" to={`/segments/${encodeURIComponent(slug)}`}>
          <SegmentDot color={color} />
          <bdi>{name}</bdi>
        </Link>{" "}
        <SegmentBadges segment={segment} />
        {description !== null && (
          <p>
            <bdi>{description}</bdi>
          </p>
        )}
        <p class="sentence quiet">
          <bdi>{names === null || tree === null ? "" : formatSentence(tree, names)}</bdi>
        </p>
        <p class="sentence quiet">{uses !== null && <Uses uses={uses} />}</p>
      </div>
      {members !== null && <Trend segment={segment} />}
      <span class="number">
        {members === null ? <span class="quiet">{words.hidden}</span> : words.customers(members)}
      </span>
    </li>
  );
}

function Uses({ uses }: { readonly uses: readonly SegmentUse[] }) {
  if (uses.length === 0) return <>{words.unused}</>;
  const others = uses.length - MAX_NAMED;
  return (
    <>
      {words.uses}{" "}
      {uses.slice(0, MAX_NAMED).map(({ kind, name, path }, index) => (
        <span key={path}>
          {index > 0 && ", "}
          {words.useKinds[kind]}{" "}
          <Link to={path}>
            <bdi>{name}</bdi>
          </Link>
        </span>
      ))}
      {others > 0 && ` ${words.otherUses(others)}`}
    </>
  );
}

/** Shows how a segment's size has changed in the last 30 days. It is loaded when the row comes into view. */
function Trend({ segment: { slug, updatedAt } }: { readonly segment: Segment }) {
  const ref = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const { current: row } = ref;
    if (row === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(row);
    return () => observer.disconnect();
  }, []);
  const report = useLoad(`${isSeen} ${slug} ${updatedAt}`, async (calls) =>
    isSeen ? (await calls.segments.statistics(slug, { days: TREND_DAYS })).days : null,
  );
  const points = (report.value ?? []).flatMap(({ members }, index) =>
    members === null ? [] : [{ index, members }],
  );
  const [first, last] = [points[0], points.at(-1)];
  return (
    <div ref={ref} class="trend">
      {first !== undefined && last !== undefined && (
        <>
          {points.length >= MIN_LINE_DAYS && (
            <svg viewBox={`0 0 ${TREND_WIDTH} ${TREND_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
              <path d={buildLine(points)} />
            </svg>
          )}
          <span class="quiet number">
            {points.length > 1
              ? words.trend(last.members - first.members, last.index - first.index)
              : words.trendLater}
          </span>
        </>
      )}
    </div>
  );
}

/** Returns the path of a line through the points. Its scale begins at zero, so that a small change looks small. */
function buildLine(points: readonly { readonly index: number; readonly members: number }[]): string {
  const maximum = Math.max(...points.map(({ members }) => members), 1);
  const at = points.map(({ index, members }) => {
    const x = (index / (TREND_DAYS - 1)) * TREND_WIDTH;
    const y = TREND_HEIGHT - 2 - (members / maximum) * (TREND_HEIGHT - 4);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return `M${at.join("L")}`;
}
