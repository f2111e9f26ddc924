import { useState } from "preact/hooks";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { moneyText } from "../words/en/forms.js";
import { till as words } from "../words/en/till.js";
import { countMinorDigits, parseAmount } from "./amount.js";
import type { QueuedCard } from "./queued-card.js";
import type { TillFlow } from "./till-flow.js";
import type { TillState } from "./till-state.js";

const MAX_STAMPS = 20;

interface TillActionsProps {
  readonly flow: TillFlow;
  readonly card: QueuedCard;
  readonly state: TillState;
  readonly onNext: () => void;
}

/** Shows the actions for the current card within reach of the user's thumb, and highlights the most likely action. */
export function TillActions({ flow, card, state, onNext }: TillActionsProps) {
  const { tillCard, isUnreachable, isBusy, isPressIgnored, outcome, waiting, offer, isPadOpen } = state;
  const [count, setCount] = useState(1);
  const rewards = tillCard?.state?.rewardsAvailable ?? 0;
  // Keep the button's space while the card is being looked up, because most cards have stamps.
  const isLookingUp = tillCard === null && outcome === null;
  const isStampable = hasScopes("loyalty:manage") && ((tillCard?.state ?? null) !== null || isLookingUp);
  const isDone = outcome?.isGood === true || !isStampable;
  const add = async () => {
    await flow.add(card.id, count);
    setCount(1);
  };
  if (offer !== null && isPadOpen) {
    const amount = parseAmount(state.amountText, countMinorDigits(offer.currency));
    return (
      <div class="till-actions">
        <div class="till-row">
          <Button
            text={words.skip}
            class="big"
            disabled={isBusy || isPressIgnored}
            onClick={() => void flow.skipAmount(card.id)}
          />
          <Button
            text={amount === 0 ? words.book : words.bookAmount(moneyText(amount, offer.currency))}
            class="big grow"
            kind="primary"
            disabled={isBusy || isPressIgnored || amount === 0}
            onClick={() => void flow.book(card.id)}
          />
        </div>
      </div>
    );
  }
  return (
    <div class="till-actions">
      {isStampable && (
        <StampCount
          count={count}
          text={isUnreachable ? words.keep(count) : words.add(count)}
          isBusy={isBusy || isPressIgnored || (isLookingUp && !isUnreachable)}
          isLikeliest={rewards === 0 && !isDone}
          onCount={setCount}
          onPress={() => void add()}
        />
      )}
      <div class={`till-row ${offer === null ? "" : "till-choices"}`}>
        {rewards > 0 && hasScopes("loyalty:manage") && (
          <Button
            text={words.redeem(rewards)}
            class="big grow"
            kind="primary"
            disabled={isBusy || isPressIgnored}
            onClick={() => void flow.redeem(card.id)}
          />
        )}
        {offer !== null && (
          <Button
            text={words.enterAmount}
            class="big grow"
            disabled={isBusy || isPressIgnored}
            onClick={() => flow.openPad(card.id)}
          />
        )}
        <Button
          class="big grow"
          kind={isDone && rewards === 0 ? "primary" : ""}
          disabled={isPressIgnored}
          onClick={onNext}
        >
          {waiting.length > 0 ? words.nextOf(waiting.length) : words.next}
        </Button>
      </div>
    </div>
  );
}

interface StampCountProps {
  readonly count: number;
  /** The big button's label. */
  readonly text: string;
  readonly isBusy: boolean;
  /** Whether pressing the big button is the most likely next step. */
  readonly isLikeliest: boolean;
  readonly onCount: (count: number) => void;
  readonly onPress: () => void;
}

/** A big button that adds the chosen number of stamps, with smaller buttons that change the number. */
function StampCount({ count, text, isBusy, isLikeliest, onCount, onPress }: StampCountProps) {
  return (
    <div class="till-row">
      <Button label={words.less} disabled={count <= 1} onClick={() => onCount(count - 1)}>
        −
      </Button>
      <Button label={words.more} disabled={count >= MAX_STAMPS} onClick={() => onCount(count + 1)}>
        +
      </Button>
      <Button
        text={text}
        kind={isLikeliest ? "primary" : ""}
        class="big grow"
        disabled={isBusy}
        onClick={onPress}
      />
    </div>
  );
}
