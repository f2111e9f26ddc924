import { useState } from "preact/hooks";
import type { StampReceipt } from "../../../../src/resources/stamps.js";
import { CallError } from "../api/call-error.js";
import { api, newIdempotencyKey } from "../api/calls.js";
import { may } from "../api/session.js";
import { nameOf } from "../customers/customer-name.js";
import { Button } from "../parts/button.js";
import { StampCard } from "../parts/stamp-card.js";
import { messageOf } from "../parts/toasts.js";
import { counted } from "../parts/words.js";
import type { FoundCard } from "./found-card.js";
import { useOneAtATime } from "./one-at-a-time.js";
import { sound } from "./signal.js";
import { StampCount } from "./stamp-count.js";

interface Undo {
  readonly entryId: string;
  readonly said: string;
}

/** The result of the last change. */
interface Outcome {
  readonly isGood: boolean;
  readonly text: string;
  /** The entry that can be taken back, and the message about that. */
  readonly undo: Undo | null;
}

interface CardAtTillProps {
  readonly found: FoundCard;
  /** Keeps stamps for when the server can be reached again. @throws when they can't be kept. */
  readonly onKeep: (count: number, idempotencyKey: string) => Promise<void>;
  /** Tells of a change of this card that failed after another one was shown. */
  readonly onFailedLater: (text: string) => void;
  readonly onNext: () => void;
}

/** One card at the till: big buttons, and an answer that can't be missed. */
export function CardAtTill({ found, onKeep, onFailedLater, onNext }: CardAtTillProps) {
  const { pass, user, state: before } = found;
  const [state, setState] = useState(before);
  const [count, setCount] = useState(1);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { isBusy, begin, isShown } = useOneAtATime();

  const show = (next: Outcome) => {
    if (isShown()) {
      setOutcome(next);
      sound(next.isGood);
    } else if (!next.isGood) {
      onFailedLater(`${user === null ? pass.template.name : nameOf(user)}: ${next.text}`);
    }
  };
  const act = async (
    change: (idempotencyKey: string) => Promise<StampReceipt>,
    done: (after: StampReceipt) => Omit<Outcome, "isGood">,
    unanswered?: (idempotencyKey: string) => Promise<Omit<Outcome, "isGood">>,
  ) => {
    const idempotencyKey = newIdempotencyKey();
    try {
      const told = await change(idempotencyKey).then(
        (after) => {
          setState(after);
          return done(after);
        },
        (error: unknown) => {
          const isUnanswered = error instanceof CallError && error.status === 0;
          if (!isUnanswered || unanswered === undefined) throw error;
          return unanswered(idempotencyKey);
        },
      );
      show({ isGood: true, ...told });
    } catch (error) {
      show({ isGood: false, text: messageOf(error), undo: null });
    }
    setCount(1);
  };
  const stamps = counted(count, "stamp");
  const add = () =>
    act(
      (idempotencyKey) => api.stamps.add(pass.id, { count, idempotencyKey }),
      ({ entryId, completions }) => ({
        text: completions > 0 ? "Card full: a reward!" : `+${stamps}`,
        undo: { entryId, said: `${stamps} taken back` },
      }),
      async (idempotencyKey) => {
        await onKeep(count, idempotencyKey);
        return { text: `Kept: +${stamps}`, undo: null };
      },
    );
  const takeBack = ({ entryId, said }: Undo) =>
    act(
      (idempotencyKey) =>
        api.stamps.reverse(pass.id, { entryId, note: "Undone at the till", idempotencyKey }),
      () => ({ text: said, undo: null }),
    );
  const redeem = () =>
    act(
      (idempotencyKey) => api.stamps.redeem(pass.id, { idempotencyKey }),
      ({ entryId }) => ({ text: "Reward redeemed", undo: { entryId, said: "Reward given back" } }),
    );

  const undo = outcome?.undo ?? null;
  return (
    <section class="stack" aria-label="Card">
      {user !== null && (
        <p class="till-name">
          <bdi>{nameOf(user)}</bdi>
        </p>
      )}
      <StampCard
        name={pass.template.name}
        maxStamps={state?.maxStamps ?? null}
        stamps={state?.currentStamps ?? 0}
        rewards={state?.rewardsAvailable ?? 0}
        reward={pass.template.reward}
      />
      <div class={`outcome ${outcome === null ? "" : outcome.isGood ? "good" : "bad"}`} role="status">
        {outcome !== null && (
          <>
            <span class="mark" aria-hidden="true">
              {outcome.isGood ? "✓" : "✕"}
            </span>
            <span class="grow">{outcome.text}</span>
            {undo !== null && (
              <Button text="Undo" disabled={isBusy} onClick={() => void begin(() => takeBack(undo))} />
            )}
          </>
        )}
      </div>
      {state === null && <p class="note">This card has no stamps: showing it is enough.</p>}
      {state !== null && may("loyalty:manage") && (
        <>
          <StampCount
            count={count}
            verb="Add"
            isBusy={isBusy}
            onCount={setCount}
            onPress={() => void begin(add)}
          />
          <Button
            text={
              state.rewardsAvailable === 0
                ? "No reward to redeem"
                : `Redeem 1 of ${counted(state.rewardsAvailable, "reward")}`
            }
            class="big"
            disabled={isBusy || state.rewardsAvailable === 0}
            onClick={() => void begin(redeem)}
          />
        </>
      )}
      <Button text="Next customer" class="big" kind="plain" onClick={onNext} />
    </section>
  );
}
