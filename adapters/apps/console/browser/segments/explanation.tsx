import type { ComponentChildren } from "preact";
import type {
  ExplainedFilter,
  ExplainedLeaf,
  SegmentExplanation,
} from "../../../../../src/segments/explanation-schema.js";
import { Icon } from "../components/icons.js";
import { dayText } from "../words/en/forms.js";
import { channels, consents } from "../words/en/segment-conditions.js";
import { has, why } from "../words/en/segment-explanations.js";
import { type FilterOptions, optionNames } from "./filter-options.js";
import { describeLeaf } from "./filter-sentence.js";
import { parseLeaf } from "./filter-tree.js";

/** Maximum number of visits that an explanation shows as an exact number. */
const MAX_VISITS = 10;

const wallets: Readonly<Record<string, string>> = {
  apple: "Apple Wallet",
  google: "Google Wallet",
  other: has.anyWallet,
};

const introTexts = { AND: why.all, OR: why.any, NOT: why.none } as const;

interface ExplanationProps {
  readonly explanation: SegmentExplanation;
  readonly lists: FilterOptions;
}

/** Explains why a customer is or isn't in a segment, by listing each condition with the customer's current value. */
export function Explanation({ explanation: { tree, matched }, lists }: ExplanationProps) {
  const { changesAt } = tree;
  return (
    <div class="stack">
      <ExplanationTree node={tree} lists={lists} />
      <p class="quiet">
        {changesAt === null ? why.stays : matched ? why.leaves(changesAt) : why.enters(changesAt)}
      </p>
    </div>
  );
}

/** Lists a filter's conditions, each with the customer's current value and whether the customer matches it. */
export function ExplanationTree({
  node,
  lists,
}: {
  readonly node: ExplainedFilter;
  readonly lists: FilterOptions;
}) {
  const isWanted = node.operator !== "NOT";
  return (
    <div class="explained">
      {node.conditions.length + node.filters.length > 1 || node.operator === "NOT" ? (
        <p>{introTexts[node.operator]}</p>
      ) : null}
      <ul class="stack tight">
        {node.conditions.map((leaf, at) => (
          <li key={at}>
            <ConditionRow leaf={leaf} lists={lists} isWanted={isWanted} />
          </li>
        ))}
        {node.filters.map((inner, at) => (
          <li key={`group ${at}`}>
            <MatchMark isSo={inner.matched} isWanted={isWanted}>
              <ExplanationTree node={inner} lists={lists} />
            </MatchMark>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface LineProps {
  readonly leaf: ExplainedLeaf;
  readonly lists: FilterOptions;
  readonly isWanted: boolean;
}

/** Shows a condition. A condition about another segment includes that segment's conditions. */
function ConditionRow({ leaf, lists, isWanted }: LineProps) {
  const { matched, currentValue, since, changesAt, ...condition } = leaf;
  const has = describeCurrentValue(leaf);
  const leafDraft = parseLeaf(condition);
  const inner = leaf.segment !== undefined && isExplained(currentValue) ? currentValue : null;
  return (
    <MatchMark isSo={matched} isWanted={isWanted}>
      <div>
        <bdi>{leafDraft === null ? "" : describeLeaf(leafDraft, optionNames(lists))}</bdi>
        {leaf.segment === undefined && (
          <p class="quiet">
            <bdi>{has}</bdi>
            {since !== null && !has.includes(dayText(since)) && `, ${why.since(since)}`}
          </p>
        )}
        {inner !== null && <ExplanationTree node={inner} lists={lists} />}
        {changesAt !== null && <p class="quiet">{why.goes(changesAt)}</p>}
      </div>
    </MatchMark>
  );
}

interface MarkProps {
  readonly isSo: boolean;
  /** Whether a match counts toward the result. It is false inside a NOT group, where matches count against it. */
  readonly isWanted: boolean;
  /** Screen reader label for a match. Default: a label for matching a condition. */
  readonly is?: string;
  readonly isNot?: string;
  readonly children: ComponentChildren;
}

/** Shows an icon that marks a match or a mismatch, followed by `children`. */
export function MatchMark({ isSo, isWanted, is = why.is, isNot = why.isNot, children }: MarkProps) {
  return (
    <div class={`explained-line ${isSo === isWanted ? "is-good" : ""}`}>
      <Icon name={isSo ? "check" : "close"} />
      <span class="unseen">{isSo ? is : isNot}: </span>
      {children}
    </div>
  );
}

/** Returns whether the current value is another segment's explanation rather than a customer's own value. */
function isExplained(actual: unknown): actual is ExplainedFilter {
  return typeof actual === "object" && actual !== null && "conditions" in actual && "operator" in actual;
}

/** Describes the customer's current value for a condition, such as their number of stamps. */
function describeCurrentValue(leaf: ExplainedLeaf): string {
  const { currentValue } = leaf;
  if (leaf.slug !== undefined) return has.tag(currentValue === true);
  if (leaf.stamps !== undefined) return describeCount(currentValue, has.stamps);
  if (leaf.points !== undefined || leaf.pointsExpire !== undefined)
    return describeCount(currentValue, has.points);
  if (leaf.purchases !== undefined) return has.purchases(Number(currentValue));
  if (leaf.rewards !== undefined) return describeCount(currentValue, has.rewards);
  if (leaf.completions !== undefined) return describeCount(currentValue, has.completions);
  if (leaf.lastVisit !== undefined)
    return typeof currentValue === "string" ? has.lastVisit(currentValue) : has.neverHere;
  if (leaf.visits !== undefined) return describeVisits(currentValue);
  if (leaf.joined !== undefined)
    return typeof currentValue === "string" ? has.joined(currentValue) : has.nothing;
  if (leaf.field !== undefined) return has.field(currentValue === true);
  if (leaf.wallet !== undefined) return describeWallets(currentValue);
  if (leaf.subscription !== undefined) return describeConsent(leaf.subscription.channel, currentValue);
  if (currentValue === null || currentValue === undefined) return has.nothing;
  return typeof currentValue === "string" ? currentValue : JSON.stringify(currentValue);
}

function describeCount(actual: unknown, textOf: (count: number) => string): string {
  if (!Array.isArray(actual) || actual.length === 0) return has.noCard;
  return actual.length === 1 ? textOf(Number(actual[0])) : has.onCards(actual.join(", "));
}

function describeVisits(actual: unknown): string {
  if (!Array.isArray(actual) || actual.length === 0) return has.noVisits;
  const newest = String(actual[0]);
  return actual.length > MAX_VISITS ? has.manyVisits(MAX_VISITS, newest) : has.visits(actual.length, newest);
}

function describeWallets(actual: unknown): string {
  if (!Array.isArray(actual) || actual.length === 0) return has.noWallet;
  return has.wallets(actual.map((platform) => wallets[String(platform)] ?? String(platform)));
}

function describeConsent(channel: string, actual: unknown): string {
  const status = consents.find(([value]) => value === actual)?.[1] ?? String(actual);
  return has.consent(status, channels.find(([value]) => value === channel)?.[1] ?? channel);
}
