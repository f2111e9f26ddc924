import { useState } from "preact/hooks";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { SegmentCondition, SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import { Link } from "../app/router.js";
import { Button } from "../components/button.js";
import { useLoad } from "../components/load.js";
import { cards as words } from "../words/en/cards.js";
import { numberText } from "../words/en/forms.js";

const WEEK = 7;

/** The numbers shown for a card, each with a condition for the customers that it counts and links to. */
const counted: readonly { readonly text: string; readonly of: (templateId: string) => SegmentCondition }[] = [
  { text: words.haveIt, of: (templateId) => ({ stamps: { templateId } }) },
  { text: words.stamped, of: (templateId) => ({ visits: { templateId, days: WEEK, min: 1 } }) },
  { text: words.waiting, of: (templateId) => ({ rewards: { templateId, min: 1 } }) },
];

const buildFilter = (condition: SegmentCondition): SegmentFilter => ({
  operator: "AND",
  conditions: [condition],
});

interface CardNumbersProps {
  readonly templateId: string;
  /**
   * Whether the numbers load immediately. If false, they load only after a click, so that a page with many cards doesn't send too
   * many requests.
   */
  readonly isShown: boolean;
}

/** Shows how many customers have a stamp card, how many of them visited recently, and how many have a reward waiting. */
export function CardNumbers({ templateId, isShown }: CardNumbersProps) {
  const [isAsked, setAsked] = useState(isShown);
  return isAsked ? (
    <Numbers templateId={templateId} />
  ) : (
    <div>
      <Button kind="plain" text={words.showNumbers} onClick={() => setAsked(true)} />
    </div>
  );
}

function Numbers({ templateId }: { readonly templateId: string }) {
  const totals = useLoad(`numbers ${templateId}`, (calls) => readTotals(calls, templateId));
  return (
    <ul class="card-numbers" aria-busy={totals.isLoading && totals.value === null}>
      {counted.map(({ text, of }, at) => {
        const total = totals.value?.[at];
        const filter = encodeURIComponent(JSON.stringify(buildFilter(of(templateId))));
        return (
          <li key={text}>
            <Link to={`/customers?filter=${filter}`}>
              <strong class="number">{total === undefined ? "–" : numberText(total)}</strong>{" "}
              <span>{text}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

async function readTotals(calls: OrganizationCalls, templateId: string): Promise<readonly number[]> {
  const pages = counted.map(({ of }) =>
    calls.segments.query({ filter: buildFilter(of(templateId)), size: 0 }),
  );
  return (await Promise.all(pages)).map(({ totalElements }) => totalElements);
}
