import { useState } from "preact/hooks";
import type { StatisticsReport } from "../../../../src/resources/statistics.js";
import type { Template } from "../../../../src/resources/template.js";
import { get } from "../app/call.js";
import { Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { useEvery, useLoad } from "../parts/load.js";
import { Empty, Failed, Skeleton } from "../parts/states.js";
import { DayChart } from "./day-chart.js";
import { InstallChart } from "./install-chart.js";

const ranges = [7, 30, 90] as const;
const LOOK_MS = 10_000;

/** What there is at the end of each day, and what came on it. */
const charts = [
  { field: "members", title: "Customers", isLevel: true },
  { field: "activeCards", title: "Active cards", isLevel: true },
  { field: "stamps", title: "Stamps given", isLevel: false },
  { field: "rewardsEarned", title: "Rewards earned", isLevel: false },
  { field: "rewardsRedeemed", title: "Rewards redeemed", isLevel: false },
] as const;

/** How the organization does, day by day. */
export function OverviewScreen(_: ScreenProps) {
  const [range, setRange] = useState<number>(30);
  const isAllowed = may("statistics:read");
  const templates = useLoad<Template[] | null>("templates", async (signal) =>
    may("template:read") ? get("/v1/templates", signal) : null,
  );
  return (
    <>
      <PageHead title="Overview">
        {isAllowed &&
          ranges.map((each) => (
            <Button key={each} isPressed={each === range} onClick={() => setRange(each)}>
              {each} days
            </Button>
          ))}
      </PageHead>
      <div class="stack">
        {templates.value?.length === 0 && (
          <p class="note">
            <span class="grow">Start with a card: what it is called, and how many stamps fill it.</span>
            <Link class="button primary" to="/cards">
              Make a card
            </Link>
          </p>
        )}
        {isAllowed ? (
          <Charts range={range} />
        ) : (
          <Empty title="The numbers are not for this token">
            Sign in with one that has the scope statistics:read to see them.
          </Empty>
        )}
      </div>
    </>
  );
}

function Charts({ range }: { readonly range: number }) {
  const report = useLoad<StatisticsReport>(String(range), (signal) =>
    get(`/v1/statistics?days=${range}`, signal),
  );
  useEvery(LOOK_MS, report.reload);
  const { value, error } = report;
  return (
    <>
      {error !== null && <Failed error={error} onRetry={report.reload} />}
      <div class="charts">
        {value === null && error === null && (
          <>
            {charts.map(({ field }) => (
              <Skeleton key={field} height="14rem" />
            ))}
            <Skeleton height="14rem" />
          </>
        )}
        {value !== null && (
          <>
            {charts.map(({ field, title, isLevel }) => (
              <DayChart
                key={field}
                title={title}
                isLevel={isLevel}
                points={value.days.map((day) => ({ day: day.date, value: day[field] }))}
              />
            ))}
            <InstallChart report={value} />
          </>
        )}
      </div>
    </>
  );
}
