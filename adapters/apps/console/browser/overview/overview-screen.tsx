import { useMemo, useState } from "preact/hooks";
import type { Template } from "../../../../../src/cards/schema.js";
import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import type { StatisticsReport } from "../../../../../src/statistics/schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../components/button.js";
import { DayChart } from "../components/day-chart.js";
import { Empty, Loading, Skeleton } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { buildEventLogPath } from "../components/log-filter.js";
import { locale, numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { useFirstSteps } from "./first-steps.js";
import { LiveActivity } from "./live-activity.js";
import { OutstandingPoints } from "./outstanding-points.js";
import { Program } from "./program.js";
import { buildListPath } from "./program-counts.js";
import { VisitHours } from "./visit-hours.js";

/** Event types that earn or redeem a reward, for links to a day's events. */
const rewardEvents = {
  earned: ["stamp_card.completed", "reward.granted"],
  redeemed: ["stamp_card.redeemed"],
} as const;

const numbers = [
  {
    text: words.stampsToday,
    count: ({ stamps }: Day) => stamps,
    findPath: () => findChartPath("stamps", 1),
    linkText: words.inCustomers,
  },
  {
    text: words.earnedToday,
    count: ({ rewardsEarned }: Day) => rewardsEarned,
    findPath: ({ date }: Day) => buildRewardEventsPath(date, "earned"),
    linkText: words.inLog,
  },
  {
    text: words.takenToday,
    count: ({ rewardsRedeemed }: Day) => rewardsRedeemed,
    findPath: ({ date }: Day) => buildRewardEventsPath(date, "redeemed"),
    linkText: words.inLog,
  },
] as const;

const weekday = new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" });

const ranges = [7, 30, 90] as const;
const RELOAD_MS = 10_000;

/** Number of days to load to include the same weekday last week. */
const COMPARISON_DAYS = 8;

/** Charts that show one number per day. A level is measured at the end of each day, while the other charts show daily totals. */
const charts = [
  { field: "customers", title: words.charts.customers, isLevel: true },
  { field: "activeCards", title: words.charts.activeCards, isLevel: true },
  { field: "stamps", title: words.charts.stamps, isLevel: false },
  { field: "rewardsEarned", title: words.charts.rewardsEarned, isLevel: false },
  { field: "rewardsRedeemed", title: words.charts.rewardsRedeemed, isLevel: false },
  { field: "emailsAccepted", title: words.charts.emailsAccepted, isLevel: false },
  { field: "walletMessages", title: words.charts.walletMessages, isLevel: false },
  { field: "unsubscribed", title: words.charts.unsubscribed, isLevel: false },
] as const;

/** Charts that are shown only if there are cards with points. */
const pointCharts = [
  { field: "pointsGiven", title: words.charts.pointsGiven, isLevel: false },
  { field: "pointsSpent", title: words.charts.pointsSpent, isLevel: false },
  { field: "pointsExpired", title: words.charts.pointsExpired, isLevel: false },
] as const;

const platforms = [
  { field: "apple", name: "Apple" },
  { field: "google", name: "Google" },
  { field: "other", name: words.otherWallets },
] as const;

/** Shows the organization's key figures, live activity, and daily charts. */
export function OverviewScreen() {
  const [range, setRange] = useState<number>(30);
  const isAllowed = hasScopes("statistics:read");
  const templates = useLoad("templates", async (calls) =>
    hasScopes("template:read") ? calls.templates.list() : null,
  );
  const firstSteps = useFirstSteps();
  // Hide everything until it is known whether the checklist is at the top, so that the layout doesn't jump.
  const isUnknown = firstSteps === undefined;
  // Memoized, so that choosing another range doesn't render it again.
  const sections = useMemo(
    () => (
      <>
        {hasScopes("segment:read", "pass:read", "user:read") && <Program />}
        <div class="lately">
          {hasScopes("webhook:manage") && <LiveActivity />}
          {isAllowed && <VisitHours />}
        </div>
      </>
    ),
    [isAllowed],
  );
  return (
    <>
      <PageHead title={words.title}>
        {isAllowed &&
          ranges.map((option) => (
            <Button
              text={words.range(option)}
              key={option}
              isPressed={option === range}
              onClick={() => setRange(option)}
            />
          ))}
      </PageHead>
      <div class="stack" hidden={isUnknown}>
        {firstSteps}
        {sections}
        {isAllowed ? (
          <Charts range={range} templates={templates.value ?? []} />
        ) : (
          <Empty title={words.notShown}>{words.askForOne}</Empty>
        )}
      </div>
    </>
  );
}

interface ChartsProps {
  readonly range: number;
  /** The templates that the user is allowed to see. */
  readonly templates: readonly Template[];
}

function Charts({ range, templates }: ChartsProps) {
  const requestedDays = Math.max(range, COMPARISON_DAYS);
  const report = useLoad(String(requestedDays), (calls) => calls.statistics.get({ days: requestedDays }));
  useInterval(RELOAD_MS, report.reload);
  if (report.value === null && report.error === null) {
    return (
      <div class="charts">
        {Array.from({ length: charts.length + 1 }, (_, index) => (
          <Skeleton key={index} height="14rem" />
        ))}
      </div>
    );
  }
  return (
    <Loading data={report}>
      {({ days: allDays }) => {
        const hasPoints =
          templates.some(({ points }) => points !== null) ||
          allDays.some((day) => pointCharts.some(({ field }) => day[field] !== 0));
        const days = allDays.slice(-range);
        return (
          <>
            <ChartPanels allDays={allDays} days={days} hasPoints={hasPoints} />
            {hasPoints && <OutstandingPoints templates={templates} />}
          </>
        );
      }}
    </Loading>
  );
}

type Days = StatisticsReport["days"];

/** Counts the cards added to wallets by platform. Returns an empty list if no card's platform is known. */
function countPlatforms(days: Days) {
  const counts = platforms.map(({ field, name }) => ({
    name,
    isKnown: field !== "other",
    count: days.reduce((sum, { installs }) => sum + installs[field], 0),
  }));
  return counts.some(({ isKnown, count }) => isKnown && count > 0) ? counts : [];
}

/** Returns a chart's title, as a link to the counted customers, cards or events if there is one. */
function renderHeading(field: string, title: string, range: number) {
  const to = findChartPath(field, range);
  return to === undefined ? title : <Link to={to}>{title}</Link>;
}

/**
 * @param all all loaded days.
 * @param days the days to show.
 */
function ChartPanels({
  allDays,
  days,
  hasPoints,
}: {
  readonly allDays: Days;
  readonly days: Days;
  readonly hasPoints: boolean;
}) {
  return (
    <>
      <Today days={allDays} />
      <div class="charts">
        {[...charts, ...(hasPoints ? pointCharts : [])].map(({ field, title, isLevel }) => (
          <DayChart
            key={field}
            title={title}
            heading={renderHeading(field, title, days.length)}
            isLevel={isLevel}
            points={days.map((day) => ({ day: day.date, value: day[field] }))}
          />
        ))}
        <DayChart
          title={words.charts.installs}
          heading={renderHeading("installs", words.charts.installs, days.length)}
          isLevel={false}
          points={days.map(({ date, installs: { apple, google, other } }) => ({
            day: date,
            value: apple + google + other,
          }))}
        >
          <ul class="row quiet">
            {countPlatforms(days).map(({ name, count }) => (
              <li key={name}>
                {name} <span class="number">{numberText(count)}</span>
              </li>
            ))}
          </ul>
        </DayChart>
      </div>
    </>
  );
}

type Day = StatisticsReport["days"][number];

/** Shows today's figures so far and, for comparison, the figures for the same weekday last week. */
function Today({ days }: Pick<StatisticsReport, "days">) {
  const [lastWeek, today] = [days.at(-8), days.at(-1)];
  if (lastWeek === undefined || today === undefined) return null;
  const lastWeekText = words.allOfLast(weekday.format(new Date(lastWeek.date)));
  return (
    <section class="panel padded stack tight" aria-label={words.today}>
      <h2 class="quiet">{words.todaySoFar}</h2>
      <ul class="today">
        {numbers.map(({ text, count, findPath, linkText }) => {
          const to = findPath(today);
          return (
            <li key={text}>
              <strong class="total number">{numberText(count(today))}</strong> {text}
              <br />
              <span class="quiet">
                {lastWeekText}: {numberText(count(lastWeek))}
              </span>
              {to !== undefined && (
                <>
                  <br />
                  <Link to={to}>{linkText}</Link>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/**
 * Returns the path of the event log, filtered to a day's reward events. Links to events rather than customers because customers
 * can't be filtered by the day of a reward. Returns `undefined` if the user isn't allowed to read events.
 */
function buildRewardEventsPath(day: string, kind: keyof typeof rewardEvents): string | undefined {
  return hasScopes("webhook:manage") ? buildEventLogPath(rewardEvents[kind], day) : undefined;
}

/**
 * Returns the path of the list that contains what a chart counts: customers, cards, messages, or events.
 * @param range the number of days that the chart covers.
 * @returns the path, or `undefined` if there is no such list or the user isn't allowed to see it.
 */
function findChartPath(field: string, range: number): string | undefined {
  if (field === "customers") return hasScopes("user:read") ? "/customers" : undefined;
  if (field === "activeCards") return hasScopes("template:read") ? "/cards" : undefined;
  if (field === "rewardsRedeemed")
    return hasScopes("webhook:manage") ? buildEventLogPath(["stamp_card.redeemed"]) : undefined;
  if (field === "emailsAccepted" || field === "walletMessages")
    return hasScopes("message:read") ? "/messages" : undefined;
  const filter = buildChartFilter(field, range);
  return filter !== null && hasScopes("segment:read", "pass:read", "user:read")
    ? buildListPath(filter)
    : undefined;
}

function buildChartFilter(field: string, range: number): SegmentFilter | null {
  if (field === "stamps") return { operator: "AND", conditions: [{ lastVisit: { withinDays: range - 1 } }] };
  if (field === "rewardsEarned") return { operator: "AND", conditions: [{ completions: { min: 1 } }] };
  if (field === "unsubscribed")
    return { operator: "AND", conditions: [{ subscription: { channel: "email", status: "UNSUBSCRIBED" } }] };
  if (field === "installs") return { operator: "AND", conditions: [{ wallet: { installed: true } }] };
  return null;
}
