import { bareCode } from "../../../../../src/base/values/short-link.js";
import { hasScopes } from "../api/session.js";
import { Skeleton } from "../components/feedback.js";
import { StampCard } from "../components/stamp-card.js";
import { till as words } from "../words/en/till.js";
import { formatOwner, type TillCard } from "./found-card.js";
import { Outcome } from "./outcome.js";
import type { QueuedCard } from "./queued-card.js";
import type { TillState } from "./till-state.js";

interface CardAtTillProps {
  readonly state: TillState;
  readonly turn: QueuedCard;
  readonly onUndo: (id: number) => void;
}

/** Shows the current card's owner and result, and anything that staff must not overlook. */
export function CurrentCard({ state, turn, onUndo }: CardAtTillProps) {
  const { found, isUnreached, stampedAgo, outcome } = state;
  return (
    <section class="till-card" aria-label={words.card}>
      <p class="till-name">
        <bdi>{found === null ? turn.name : formatOwner(found)}</bdi>
      </p>
      {found === null && outcome === null && !isUnreached && <Skeleton height="5.5rem" />}
      <Outcome state={state} onUndo={onUndo} />
      {stampedAgo !== null && outcome === null && (
        <p class="till-ask" role="alert">
          {stampedAgo < 2 ? words.stampedNow : words.stampedAgo(stampedAgo)}
        </p>
      )}
      {found !== null && <WaitingRewards found={found} />}
      {isUnreached && outcome === null && (
        <p class="note warn">
          <span class="grow">
            {words.noConnection} <bdi>{bareCode(turn.code)}</bdi> {words.areKept}
          </span>
        </p>
      )}
      {found !== null && <Stamps {...found} />}
    </section>
  );
}

function WaitingRewards({ found: { pass, state } }: { readonly found: TillCard }) {
  const rewards = state?.rewardsAvailable ?? 0;
  if (rewards === 0) return null;
  const { reward } = pass.template;
  return (
    <p class="till-ask" role="alert">
      ★ {words.rewardsWaiting(rewards)}
      {reward !== null && <bdi>: {reward}</bdi>}
    </p>
  );
}

function Stamps({ pass, state }: TillCard) {
  return (
    <>
      <StampCard
        name={pass.template.name}
        maxStamps={state?.maxStamps ?? null}
        stamps={state?.currentStamps ?? 0}
      />
      {state === null && <p class="note">{words.noStamps}</p>}
      {state !== null && !hasScopes("loyalty:manage") && <p class="quiet">{words.mayNotStamp}</p>}
    </>
  );
}
