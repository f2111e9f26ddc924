import { useState } from "preact/hooks";
import type { StampReceipt } from "../../../../src/resources/stamps.js";
import { post } from "../app/call.js";
import { newIdempotencyKey } from "../app/idempotency-key.js";
import { may } from "../app/session.js";
import { nameOf } from "../customers/contact-list.js";
import { Button } from "../parts/button.js";
import { CallError } from "../parts/call-error.js";
import { useOneAtATime } from "../parts/one-at-a-time.js";
import { StampCard } from "../parts/stamp-card.js";
import { counted } from "../parts/words.js";
import type { FoundCard } from "./found-card.js";
import { sound } from "./signal.js";

interface Undo {
  readonly entryId: string;
  readonly said: string;
}

/** How the last act went. */
interface Outcome {
  readonly isGood: boolean;
  readonly text: string;
  /** The entry that can be taken back, and what to say then. */
  readonly undo: Undo | null;
}

const MOST = 20;

interface CardAtTillProps {
  readonly found: FoundCard;
  /** Keeps stamps for when the server can be reached again. @throws when they can't be kept. */
  readonly onKeep: (count: number, idempotencyKey: string) => Promise<void>;
  /** Tells of a change of this card that failed once another one was shown. */
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
    verb: string,
    body: unknown,
    done: (after: StampReceipt) => Omit<Outcome, "isGood">,
    unanswered?: (idempotencyKey: string) => Promise<Omit<Outcome, "isGood">>,
  ) => {
    const idempotencyKey = newIdempotencyKey();
    try {
      const path = `/v1/walletpasses/${pass.id}/stamps/${verb}`;
      const told = await post<StampReceipt>(path, body, idempotencyKey).then(
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
      show({ isGood: false, text: error instanceof Error ? error.message : String(error), undo: null });
    }
    setCount(1);
  };
  const add = () =>
    act(
      "add",
      { count },
      ({ entryId, completions }) => ({
        text: completions > 0 ? "Card full: a reward!" : `+${counted(count, "stamp")}`,
        undo: { entryId, said: `${counted(count, "stamp")} taken back` },
      }),
      async (idempotencyKey) => {
        await onKeep(count, idempotencyKey);
        return { text: `Kept: +${counted(count, "stamp")}`, undo: null };
      },
    );
  const takeBack = ({ entryId, said }: Undo) =>
    act("reverse", { entryId, note: "Undone at the till" }, () => ({ text: said, undo: null }));
  const redeem = () =>
    act("redeem", undefined, ({ entryId }) => ({
      text: "Reward redeemed",
      undo: { entryId, said: "Reward given back" },
    }));

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
      />
      <div class={`outcome ${outcome === null ? "" : outcome.isGood ? "good" : "bad"}`} role="status">
        {outcome !== null && (
          <>
            <span class="mark" aria-hidden="true">
              {outcome.isGood ? "✓" : "✕"}
            </span>
            <span class="grow">{outcome.text}</span>
            {undo !== null && (
              <Button disabled={isBusy} onClick={() => void begin(() => takeBack(undo))}>
                Undo
              </Button>
            )}
          </>
        )}
      </div>
      {state === null && <p class="note">This card has no stamps: showing it is enough.</p>}
      {state !== null && may("loyalty:manage") && (
        <>
          <div class="steps">
            <Button label="One less" disabled={count <= 1} onClick={() => setCount(count - 1)}>
              −
            </Button>
            <Button kind="primary" class="big grow" disabled={isBusy} onClick={() => void begin(add)}>
              Add {counted(count, "stamp")}
            </Button>
            <Button label="One more" disabled={count >= MOST} onClick={() => setCount(count + 1)}>
              +
            </Button>
          </div>
          <Button
            class="big"
            disabled={isBusy || state.rewardsAvailable === 0}
            onClick={() => void begin(redeem)}
          >
            {state.rewardsAvailable === 0
              ? "No reward to redeem"
              : `Redeem 1 of ${counted(state.rewardsAvailable, "reward")}`}
          </Button>
        </>
      )}
      <Button class="big" kind="plain" onClick={onNext}>
        Next customer
      </Button>
    </section>
  );
}
