import { useRef } from "preact/hooks";
import { numberText } from "../words/en/forms.js";
import { builder } from "../words/en/segment-builder.js";
import type { Count } from "./filter-counts.js";

interface PartCountProps {
  /** The count, or `undefined` while it is loading. */
  readonly count: Count | undefined;
  /** Whether this part of the filter is incomplete and therefore can't be counted. */
  readonly isUnfinished: boolean;
}

/** Shows how many customers match part of a filter. While the customers are being recounted, the previous number is dimmed. */
export function MatchCount({ count, isUnfinished }: PartCountProps) {
  const last = useRef<number | null>(null);
  if (typeof count === "number") last.current = count;
  const visibleCount = isUnfinished || count instanceof Error ? null : last.current;
  return (
    <output class={`part-count number ${typeof count === "number" ? "" : "quiet"}`}>
      {visibleCount === null ? "–" : numberText(visibleCount)}{" "}
      <span class="quiet">{builder.match(visibleCount ?? 0)}</span>
    </output>
  );
}
