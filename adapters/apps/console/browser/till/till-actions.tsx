import { useState } from "preact/hooks";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { till as words } from "../words/en/till.js";
import type { QueuedCard } from "./queued-card.js";
import { StampCount } from "./stamp-count.js";
import type { TillFlow } from "./till-flow.js";
import type { TillState } from "./till-state.js";

interface TillActionsProps {
  readonly flow: TillFlow;
  readonly turn: QueuedCard;
  readonly state: TillState;
  readonly onNext: () => void;
}

/** Shows the actions for the current card within reach of the user's thumb, and highlights the most likely action. */
export function TillActions({ flow, turn, state, onNext }: TillActionsProps) {
  const { found, isUnreached, isBusy, isFresh, outcome, waiting } = state;
  const [count, setCount] = useState(1);
  const rewards = found?.state?.rewardsAvailable ?? 0;
  // Keep the button's space while the card is being looked up, because most cards have stamps.
  const isAwaited = found === null && outcome === null;
  const isStampable = hasScopes("loyalty:manage") && ((found?.state ?? null) !== null || isAwaited);
  const isDone = outcome?.isGood === true || !isStampable;
  const add = async () => {
    await flow.add(turn.id, count);
    setCount(1);
  };
  return (
    <div class="till-actions">
      {isStampable && (
        <StampCount
          count={count}
          text={isUnreached ? words.keep(count) : words.add(count)}
          isBusy={isBusy || isFresh || (isAwaited && !isUnreached)}
          isLikeliest={rewards === 0 && !isDone}
          onCount={setCount}
          onPress={() => void add()}
        />
      )}
      <div class="till-row">
        {rewards > 0 && hasScopes("loyalty:manage") && (
          <Button
            text={words.redeem(rewards)}
            class="big grow"
            kind="primary"
            disabled={isBusy || isFresh}
            onClick={() => void flow.redeem(turn.id)}
          />
        )}
        <Button
          class="big grow"
          kind={isDone && rewards === 0 ? "primary" : ""}
          disabled={isFresh}
          onClick={onNext}
        >
          {waiting.length > 0 ? words.nextOf(waiting.length) : words.next}
        </Button>
      </div>
    </div>
  );
}
