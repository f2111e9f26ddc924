import type { ComponentChildren } from "preact";
import type {
  ExplainedFilter,
  ExplainedLeaf,
  SegmentExplanation,
} from "../../../../src/resources/segment-explanation.js";
import { Icon } from "../parts/icons.js";
import { type FilterLists, namesIn } from "./filter-lists.js";
import { leafText } from "./filter-sentence.js";
import { leafOf } from "./filter-tree.js";
import { actualText, why } from "./words/explanation.js";

const begin = { AND: why.all, OR: why.any, NOT: why.none } as const;

interface ExplanationProps {
  readonly explanation: SegmentExplanation;
  readonly lists: FilterLists;
}

/** Why a customer is in a segment, or is not: each condition with what the customer has of it. */
export function Explanation({ explanation: { tree, matched }, lists }: ExplanationProps) {
  const { changesAt } = tree;
  return (
    <div class="stack">
      <Explained node={tree} lists={lists} />
      <p class="quiet">
        {changesAt === null ? why.stays : matched ? why.leaves(changesAt) : why.enters(changesAt)}
      </p>
    </div>
  );
}

function Explained({ node, lists }: { readonly node: ExplainedFilter; readonly lists: FilterLists }) {
  return (
    <div class="explained">
      {node.conditions.length + node.filters.length > 1 || node.operator === "NOT" ? (
        <p>{begin[node.operator]}</p>
      ) : null}
      <ul class="explained">
        {node.conditions.map((leaf, at) => (
          <li key={at}>
            <Line leaf={leaf} lists={lists} />
          </li>
        ))}
        {node.filters.map((inner, at) => (
          <li key={`group ${at}`}>
            <Mark isSo={inner.matched}>
              <Explained node={inner} lists={lists} />
            </Mark>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A condition, which may be another segment with conditions of its own. */
function Line({ leaf, lists }: { readonly leaf: ExplainedLeaf; readonly lists: FilterLists }) {
  const { matched, actual, since, changesAt, ...condition } = leaf;
  const built = leafOf(condition);
  const inner = leaf.segment !== undefined && isExplained(actual) ? actual : null;
  return (
    <Mark isSo={matched}>
      <div>
        <bdi>{built === null ? "" : leafText(built, namesIn(lists))}</bdi>
        {leaf.segment === undefined && (
          <p class="quiet">
            <bdi>{actualText(leaf)}</bdi>
            {since !== null && `, ${why.since(since)}`}
          </p>
        )}
        {inner !== null && <Explained node={inner} lists={lists} />}
        {changesAt !== null && <p class="quiet">{why.goes(changesAt)}</p>}
      </div>
    </Mark>
  );
}

/** Something with whether it is so. */
function Mark({ isSo, children }: { readonly isSo: boolean; readonly children: ComponentChildren }) {
  return (
    <div class={`explained-line ${isSo ? "is-so" : ""}`}>
      <Icon name={isSo ? "check" : "close"} />
      <span class="unseen">{isSo ? why.is : why.isNot}: </span>
      {children}
    </div>
  );
}

/** The explanation of another segment, which stands where a customer's own value stands for others. */
function isExplained(actual: unknown): actual is ExplainedFilter {
  return typeof actual === "object" && actual !== null && "conditions" in actual && "operator" in actual;
}
