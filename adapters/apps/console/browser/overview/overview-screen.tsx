import { useMemo, useState } from "preact/hooks";
import type { Template } from "../../../../../src/cards/schema.js";
import { loadCode } from "../api/call-error.js";
import { hasScopes, session } from "../api/session.js";
import { Link } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../components/button.js";
import { Empty, LoadError, Loading, Skeleton } from "../components/feedback.js";
import { useInterval, useLoad } from "../components/load.js";
import { numberText } from "../words/en/forms.js";
import { overview as words } from "../words/en/overview.js";
import { pointFields } from "./chart-fields.js";
import { ChosenChart } from "./chosen-chart.js";
import { useFirstSteps } from "./first-steps.js";
import { KeyNumbers } from "./key-numbers.js";
import { LiveActivity } from "./live-activity.js";
import { percentText } from "./percent-text.js";
import { buildListPath, funnel, RECENT_DAYS, readTotals } from "./program-counts.js";

/** The periods to choose from, in days. */
const ranges = [1, 7, 30, 90] as const;

/** The chart shows at least this many days, because a single bar says nothing. */
const MIN_CHART_DAYS = 7;

const RELOAD_MS = 10_000;

/** Shows three numbers beside the period before, a chart to choose, live activity and the way to a reward. The rest is behind a press. */
export function OverviewScreen() {
  const [range, setRange] = useState<number>(30);
  const isAllowed = hasScopes("statistics:read");
  const templates = useLoad("templates", async (calls) =>
    hasScopes("template:read") ? calls.templates.list() : null,
  );
  const firstSteps = useFirstSteps();
  // Hide everything until it is known whether the checklist is at the top, so that the layout doesn't jump.
  const isUnknown = firstSteps === undefined;
  return (
    <>
      <PageHead title={words.title}>
        {isAllowed &&
          ranges.map((option) => (
            <Button
              text={option === 1 ? words.today : words.range(option)}
              key={option}
              isPressed={option === range}
              onClick={() => setRange(option)}
            />
          ))}
      </PageHead>
      {isUnknown && <Skeleton height="6.625rem" count={3} />}
      <div class="stack" hidden={isUnknown}>
        {firstSteps}
        <Numbers range={range} templates={templates.value ?? []} />
      </div>
    </>
  );
}

interface NumbersProps {
  readonly range: number;
  /** The templates that the user is allowed to see. */
  readonly templates: readonly Template[];
}

function Numbers({ range, templates }: NumbersProps) {
  const isAllowed = hasScopes("statistics:read");
  const chartDays = Math.max(range, MIN_CHART_DAYS);
  // The value has its range, so that the numbers of one period never stand under the name of another.
  const report = useLoad(String(range), async (calls) => {
    // The day before both periods has the level at which the first one begins.
    const days = isAllowed ? (await calls.statistics.get({ days: 2 * chartDays + 1 })).days : [];
    return { range, chartDays, days };
  });
  useInterval(RELOAD_MS, report.reload);
  const { value, error } = report;
  const hasPoints =
    templates.some(({ points }) => points !== null) ||
    (value?.days.some((day) => pointFields.some((field) => day[field] !== 0)) ?? false);
  const isFirstLoad = isAllowed && value === null && error === null;
  // Memoized, so that choosing another range doesn't render them again.
  const lately = useMemo(
    () => (
      <>
        {hasScopes("segment:read", "pass:read", "user:read") && <Funnel />}
        {hasScopes("webhook:manage") && <LiveActivity />}
      </>
    ),
    [],
  );
  const more = useMemo(() => <More templates={templates} hasPoints={hasPoints} />, [templates, hasPoints]);
  return (
    <>
      {!isAllowed && <Empty title={words.notShown}>{words.askForOne}</Empty>}
      {isFirstLoad && (
        <div class="tiles key-numbers">
          {[1, 2, 3].map((tile) => (
            <Skeleton key={tile} height="var(--tile-height)" />
          ))}
        </div>
      )}
      <Loading data={report}>
        {({ days, ...shown }) =>
          isAllowed && <KeyNumbers days={days} range={shown.range} hasPoints={hasPoints} />
        }
      </Loading>
      <div class="lately">
        {isFirstLoad && <Skeleton height="var(--chart-height)" />}
        {isAllowed && value !== null && (
          <ChosenChart days={value.days.slice(-value.chartDays)} hasPoints={hasPoints} />
        )}
        {lately}
      </div>
      {more}
    </>
  );
}

type MoreProps = Pick<NumbersProps, "templates"> & { readonly hasPoints: boolean };

/** A button that shows the numbers that are needed less often. Their code and data are loaded when it is pressed. */
function More(props: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p>
        <Button
          text={isOpen ? words.fewer : words.more}
          isExpanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </p>
      {isOpen && <LoadedMore {...props} />}
    </>
  );
}

function LoadedMore(props: MoreProps) {
  const code = useLoad("code", () => loadCode(() => import("./more-numbers.js")));
  return (
    <Loading data={code} height="20rem">
      {({ MoreNumbers }) => <MoreNumbers {...props} />}
    </Loading>
  );
}

const FUNNEL_RELOAD_MS = 60_000;

/**
 * Shows how many of the customers who signed up recently have taken each step towards a reward. Each step links to its customers.
 * Leaves out the wallets if they aren't set up and no host has reported a card in one.
 */
function Funnel() {
  const filters = funnel.map(({ filter }) => filter);
  const totals = useLoad("funnel", (calls) => readTotals(calls, filters));
  useInterval(FUNNEL_RELOAD_MS, totals.reload);
  const { value: counts, error } = totals;
  if (counts === null && error !== null) return <LoadError error={error} onRetry={totals.reload} />;
  const joinedCount = counts?.[0] ?? 0;
  return (
    <section class="panel padded stack tight" aria-label={words.way} aria-busy={counts === null}>
      <h2>{words.way}</h2>
      <p class="quiet">{words.whoJoined(RECENT_DAYS)}</p>
      <ol class="funnel">
        {funnel.map(({ text, filter, isWallet }, index) => {
          const count = counts?.[index] ?? 0;
          if (isWallet && !session.hasWallets && count === 0) return null;
          const share = joinedCount === 0 ? 0 : count / joinedCount;
          return (
            <li key={text}>
              <Link to={buildListPath(filter)}>
                {/* A placeholder keeps the space until the count arrives, so that the layout doesn't jump. */}
                {text} <span class="number">{counts === null ? "–" : numberText(count)}</span>
              </Link>{" "}
              <span class="quiet number">{percentText(share)}</span>
              <progress class="progress" aria-label={words.ofJoined(text)} value={share} max={1} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}
