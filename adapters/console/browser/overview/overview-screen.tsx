import { useState } from "preact/hooks";
import type { Contact } from "../../../../src/resources/contact.js";
import type { Page } from "../../../../src/resources/page.js";
import type { Template } from "../../../../src/resources/template.js";
import { get } from "../app/call.js";
import { useEvery, useLoad } from "../app/load.js";
import { Link } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Failed, Skeleton } from "../parts/states.js";
import { counted } from "../parts/words.js";
import { DayChart } from "./day-chart.js";
import { loadDays } from "./day-counts.js";

const ranges = [7, 30, 90] as const;
const LOOK_MS = 10_000;

const charts = [
  { field: "members", title: "New customers" },
  { field: "cards", title: "Cards issued" },
  { field: "stamps", title: "Stamps given" },
  { field: "earned", title: "Rewards earned" },
  { field: "redeemed", title: "Rewards redeemed" },
] as const;

/** How the organization does, day by day. */
export function OverviewScreen(_: ScreenProps) {
  const [range, setRange] = useState<number>(30);
  const days = useLoad(String(range), (signal) => loadDays(range, signal));
  const members = useLoad<Page<Contact> | null>("members", async (signal) =>
    may("user:read") ? get("/v1/contacts?size=1", signal) : null,
  );
  const templates = useLoad<Template[] | null>("templates", async (signal) =>
    may("template:read") ? get("/v1/templates", signal) : null,
  );
  useEvery(LOOK_MS, () => {
    days.reload();
    members.reload();
  });
  return (
    <>
      <PageHead title="Overview">
        {ranges.map((each) => (
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
        <p class="quiet">
          {members.value === null ? " " : `${counted(members.value.totalElements, "customer")} in all`}
        </p>
        {days.error !== null && <Failed error={days.error} onRetry={days.reload} />}
        {days.value === null && days.error === null && (
          <div class="charts">
            {charts.map(({ field }) => (
              <Skeleton key={field} height="14rem" />
            ))}
          </div>
        )}
        {days.value !== null && (
          <div class="charts">
            {charts.map(({ field, title }) => (
              <DayChart
                key={field}
                title={title}
                points={days.value?.map((count) => ({ day: count.day, value: count[field] })) ?? []}
              />
            ))}
          </div>
        )}
      </div>
    </>
  );
}
