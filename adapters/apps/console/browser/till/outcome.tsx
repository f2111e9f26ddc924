import { Button } from "../components/button.js";
import { till as words } from "../words/en/till.js";
import type { TillState } from "./till-state.js";

interface OutcomeProps {
  readonly state: TillState;
  readonly onUndo: (id: number) => void;
}

/**
 * Shows the current card's result as the largest element on the screen. Until there is a result, shows the number of stamps, except
 * while the till is asking the user a question.
 */
export function Outcome({ state: { outcome, found, stampedAgo }, onUndo }: OutcomeProps) {
  const stamps = found?.state ?? null;
  const isAsked = stampedAgo !== null || (stamps?.rewardsAvailable ?? 0) > 0;
  const have = stamps === null ? null : words.progress(stamps.currentStamps, stamps.maxStamps);
  const tone = outcome === null ? "" : outcome.isGood ? "good" : "bad";
  return (
    <div class={`outcome ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      {outcome === null ? (
        have !== null &&
        !isAsked && (
          <span class="outcome-text">
            {have} <span class="unseen">{words.stamps}</span>
          </span>
        )
      ) : (
        <>
          <span class="mark" aria-hidden="true">
            {outcome.isGood ? "✓" : "✕"}
          </span>
          <span class="grow">
            <span class="outcome-text">{outcome.text}</span>
            {have !== null && <span class="outcome-more"> {have}</span>}
          </span>
          {outcome.undo !== null && (
            <Button text={words.undo} disabled={outcome.isUndoing} onClick={() => onUndo(outcome.id)} />
          )}
        </>
      )}
    </div>
  );
}
