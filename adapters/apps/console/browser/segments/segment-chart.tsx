import { useState } from "preact/hooks";
import type { Segment } from "../../../../../src/segments/schema.js";
import { Button } from "../components/button.js";
import { DayChart } from "../components/day-chart.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { savedSegments } from "../words/en/segments.js";

const ranges = [7, 30, 90] as const;

/**
 * A chart of a segment's size at the end of each day. If the segment emits events, the chart also shows how many customers entered
 * and left the segment.
 */
export function SegmentChart({ segment: { slug, updatedAt } }: { readonly segment: Segment }) {
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
      <Loading of={report} height="14rem">
        {({ days }) => {
          const pointsOf = (field: "members" | "entered" | "left") =>
            days.flatMap(({ date, [field]: value }) => (value === null ? [] : [{ day: date, value }]));
          const members = pointsOf("members");
          const moves = [
            [savedSegments.came, pointsOf("entered")],
            [savedSegments.went, pointsOf("left")],
          ] as const;
          return members.length === 0 ? (
            <p class="quiet">{savedSegments.curveLater}</p>
          ) : (
            <>
              <DayChart title={savedSegments.curve} isLevel points={members} />
              {moves.map(
                ([title, points]) =>
                  points.length > 0 && <DayChart key={title} title={title} isLevel={false} points={points} />,
              )}
            </>
          );
        }}
      </Loading>
    </>
  );
}
