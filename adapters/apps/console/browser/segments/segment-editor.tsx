import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import type { LeafName } from "../../../../../src/segments/leaf-schema.js";
import { Link } from "../app/router.js";
import { Button } from "../components/button.js";
import { LoadError, Skeleton } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { type LoadedData, useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { formatCustomerName } from "../customers/customer-name.js";
import { numberText } from "../words/en/forms.js";
import { builder, ready } from "../words/en/segment-builder.js";
import { incompleteFilter } from "../words/en/segment-conditions.js";
import { actions, savedSegments } from "../words/en/segments.js";
import { FilterBuilder } from "./filter-builder.js";
import type { FilterOptions } from "./filter-options.js";
import { buildFilter, createLeaf, type Group, isFinished, parseGroupText } from "./filter-tree.js";

const EDIT_MS = 30;
const SAMPLE = 10;

interface SegmentEditorProps {
  readonly tree: Group;
  readonly lists: LoadedData<FilterOptions>;
  /** A warning to show while the filter is empty or incomplete. */
  readonly warning?: string;
  /**
   * Renders the buttons that are shown when the filter is complete. The buttons call `onChanged` when the matches must be
   * recounted.
   */
  readonly actions: (filter: SegmentFilter, total: number, onChanged: () => void) => ComponentChildren;
  readonly onChange: (change: (tree: Group) => Group) => void;
}

/** A filter editor. After each edit, it shows the number of matching customers and a sample of them. */
export function SegmentEditor({ tree, lists, warning, actions, onChange }: SegmentEditorProps) {
  const [recountKey, setRecountKey] = useState(0);
  const filter = buildFilter(tree);
  const text = filter === null ? "" : JSON.stringify(filter);
  const sample = useLoad(
    text,
    async (calls) => (filter === null ? null : calls.segments.query({ filter, size: SAMPLE })),
    EDIT_MS,
  );
  const isWrong = sample.error !== null && filter !== null;
  // An error in a condition is shown next to that condition.
  const isAtCondition = isWrong && Object.keys(sample.error?.fields ?? {}).length > 0;
  const isMarked = isAtCondition || (filter === null && !isFinished(tree));
  const page = filter === null || isAtCondition ? null : sample.value;
  const recount = () => {
    lists.reload();
    sample.reload();
    setRecountKey((previous) => previous + 1);
  };
  if (lists.error !== null) return <LoadError error={lists.error} onRetry={lists.reload} />;
  // Shows all parts together, so that the conditions push nothing down.
  if (lists.value === null) return <Skeleton height="3rem" count={5} />;
  return (
    <div class="stack">
      <div class="halves segment-halves">
        <p class="total number" aria-live="polite">
          {page === null ? "–" : numberText(page.totalElements)}{" "}
          <span class="quiet">{savedSegments.customersNoun(page?.totalElements ?? 0)}</span>
        </p>
        <div class="stack">
          {tree.leaves.length + tree.groups.length === 0 && (
            <ReadyConditions
              lists={lists.value}
              onChoose={(name) => onChange((empty) => ({ ...empty, leaves: [createLeaf(name)] }))}
            />
          )}
          <FilterBuilder tree={tree} lists={lists.value} recountKey={recountKey} onChange={onChange} />
        </div>
        <section class="panel padded stack" aria-label={savedSegments.found}>
          {filter === null && warning !== undefined && <p class="note warn">{warning}</p>}
          {isWrong && !isAtCondition && sample.error !== null && (
            <LoadError error={sample.error} onRetry={sample.reload} />
          )}
          {isMarked && <p class="quiet">{incompleteFilter}</p>}
          {filter === null && isFinished(tree) && <p class="quiet">{builder.nothing}</p>}
          {page !== null && filter !== null && (
            <>
              {actions(filter, page.totalElements, recount)}
              <ul class="sample" aria-label={savedSegments.first}>
                {page.content.map((user) => (
                  <li key={user.id}>
                    <Link class="sample-name" to={`/customers/${encodeURIComponent(user.id)}`}>
                      <bdi>{formatCustomerName(user)}</bdi>
                    </Link>
                    <bdi class="quiet">{user.email}</bdi>
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      </div>
      <FilterText text={text} onChange={(written) => onChange(() => written)} />
    </div>
  );
}

interface ReadyConditionsProps {
  readonly lists: FilterOptions;
  readonly onChoose: (name: LeafName) => void;
}

/** Buttons for common groups of customers, to begin a filter with. Each is a new condition of its kind as it is. */
function ReadyConditions({ lists, onChoose }: ReadyConditionsProps) {
  const readyConditions = ready.filter(([name]) => lists.kinds.includes(name));
  if (readyConditions.length === 0) return null;
  return (
    <section class="stack tight" aria-label={builder.ready}>
      <h2>{builder.ready}</h2>
      <div class="row">
        {readyConditions.map(([name, text]) => (
          <Button key={name} text={text} onClick={() => onChoose(name)} />
        ))}
      </div>
    </section>
  );
}

interface FilterTextProps {
  /** The filter as JSON, or an empty string if there is no filter. */
  readonly text: string;
  readonly onChange: (tree: Group) => void;
}

/** Shows the filter as editable JSON, with a button that copies the JSON and another button that copies a link to this screen. */
function FilterText({ text, onChange }: FilterTextProps) {
  const [input, setInput] = useState<string | null>(null);
  const displayedText = input ?? (text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2));
  const isWrong = input !== null && input.trim() !== "" && parseGroupText(input) === null;
  const write = (value: string) => {
    setInput(value);
    const tree = parseGroupText(value);
    if (tree !== null) onChange(tree);
  };
  const copy = async (value: string, message: string) => {
    await navigator.clipboard.writeText(value);
    showToast(message);
  };
  return (
    <details class="panel padded filter-text">
      <summary>{actions.share}</summary>
      <div class="stack">
        <TextField
          label={actions.json}
          error={isWrong ? actions.noFilter : ""}
          class="code"
          rows={10}
          spellcheck={false}
          value={displayedText}
          onText={write}
          onBlur={() => !isWrong && setInput(null)}
        />
        <div class="row">
          <Button
            text={actions.copyJson}
            disabled={text === ""}
            onClick={() => void copy(text, actions.jsonCopied)}
          />
          <Button
            text={actions.copyLink}
            disabled={text === ""}
            onClick={() => void copy(location.href, actions.linkCopied)}
          />
        </div>
      </div>
    </details>
  );
}
