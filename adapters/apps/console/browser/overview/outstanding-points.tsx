import { useState } from "preact/hooks";
import type { Template } from "../../../../../src/cards/schema.js";
import type { OutstandingPoints as Outstanding } from "../../../../../src/statistics/schema.js";
import { Button } from "../components/button.js";
import { download } from "../components/download.js";
import { Loading } from "../components/feedback.js";
import { Select } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { runWithToast } from "../components/toasts.js";
import { loadCsv } from "../customers/load-csv.js";
import { locale, numberText } from "../words/en/forms.js";
import { outstandingPoints as words } from "../words/en/overview.js";

type Templates = readonly Pick<Template, "id" | "name">[];

const monthFormat = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });

interface OutstandingPointsProps {
  /** The templates that the user is allowed to see. */
  readonly templates: Templates;
}

/** Shows the points on all cards, or on one template's cards, by the month in which they expire. */
export function OutstandingPoints({ templates }: OutstandingPointsProps) {
  // Loaded once, because adding up the points of all customers is costly.
  const outstanding = useLoad("outstanding", (calls) => calls.statistics.points());
  return (
    <section class="panel padded stack tight outstanding" aria-label={words.title}>
      <h2>{words.title}</h2>
      <Loading data={outstanding} height="10rem" count={1}>
        {(value) => <Months outstanding={value} templates={templates} />}
      </Loading>
    </section>
  );
}

function Months({ outstanding, templates }: OutstandingPointsProps & { readonly outstanding: Outstanding }) {
  const [templateId, setTemplateId] = useState("");
  const shown = outstanding.templates.find((each) => each.templateId === templateId) ?? outstanding;
  const { available, pending, debt, months } = shown;
  return (
    <>
      <p class="row spread">
        <span class="number">{words.totals(available, pending, debt)}</span>
        <span class="row">
          {outstanding.templates.length > 1 && (
            <Select
              aria-label={words.card}
              value={templateId}
              choices={[
                ["", words.allCards],
                ...outstanding.templates.map((each) => {
                  return [each.templateId, findName(templates, each.templateId)] as const;
                }),
              ]}
              onChoose={setTemplateId}
            />
          )}
          <Button
            text={words.download}
            disabled={outstanding.months.length === 0}
            onClick={() => void runWithToast(() => saveMonths(outstanding, templates))}
          />
        </span>
      </p>
      {months.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{words.month}</th>
              <th scope="col" class="number">
                {words.points}
              </th>
            </tr>
          </thead>
          <tbody>
            {months.map(({ month, points }) => (
              <tr key={month}>
                <td>{month === null ? words.never : monthFormat.format(new Date(month))}</td>
                <td class="number">{numberText(points)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** Saves the months of each template as a CSV file. Points that never expire have no month. */
async function saveMonths(outstanding: Outstanding, templates: Templates): Promise<void> {
  const { toCsv } = await loadCsv();
  const rows = outstanding.templates.flatMap(({ templateId, months }) =>
    months.map(({ month, points }) => [
      templateId,
      findName(templates, templateId),
      month ?? "",
      String(points),
    ]),
  );
  download(`${words.fileName}-${outstanding.at.slice(0, 10)}.csv`, toCsv(csvColumns, rows));
}

/** The columns of the file, which don't depend on the language, as in other files. */
const csvColumns = ["templateId", "template", "month", "points"];

function findName(templates: Templates, templateId: string): string {
  return templates.find(({ id }) => id === templateId)?.name ?? templateId;
}
