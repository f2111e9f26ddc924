import { bareCode } from "../../../../../src/base/values/short-link.js";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { Skeleton } from "../components/feedback.js";
import { cardPicture as cardPictureWords } from "../words/en/card-picture.js";
import { till as words } from "../words/en/till.js";
import { describeUnits } from "./earning-card.js";
import type { QueuedCard } from "./queued-card.js";
import { formatOwner, type TillCard } from "./till-card.js";
import type { TillState } from "./till-state.js";

/** Length of the longest result that is shown in the largest letters. */
const MAX_LARGE_LENGTH = 28;

interface CurrentCardProps {
  readonly state: TillState;
  readonly card: QueuedCard;
  readonly onUndo: (id: number) => void;
}

/** Shows the current card's owner and result, and anything that staff must not overlook. */
export function CurrentCard({ state: lastState, card, onUndo }: CurrentCardProps) {
  const state = { ...lastState, tillCard: addSavedStamps(lastState) };
  const { tillCard, isUnreachable, isPadOpen, secondsSinceStamp, outcome } = state;
  return (
    <section class="till-card" aria-label={words.card}>
      <p class="till-name">
        <bdi>{tillCard === null ? card.name : formatOwner(tillCard)}</bdi>
      </p>
      {tillCard === null && outcome === null && !isUnreachable && <Skeleton height="5.5rem" />}
      <Outcome state={state} onUndo={onUndo} />
      {secondsSinceStamp !== null && outcome === null && (
        <p class="till-ask" role="alert">
          {secondsSinceStamp < 2 ? words.stampedNow : words.stampedAgo(secondsSinceStamp)}
        </p>
      )}
      {tillCard !== null && <WaitingRewards tillCard={tillCard} />}
      {isPadOpen && tillCard !== null && <BalanceLine {...tillCard} />}
      {isUnreachable && isPadOpen && <p class="quiet">{words.bookedHere}</p>}
      {isUnreachable && !isPadOpen && outcome === null && (
        <p class="note warn">
          <span class="grow">
            {words.noConnection} <bdi>{bareCode(card.code)}</bdi> {words.areKept}
          </span>
        </p>
      )}
      {tillCard !== null && !isPadOpen && <Stamps {...tillCard} />}
    </section>
  );
}

/** Returns the current card as it will be when the stamps saved on this device have been sent. */
function addSavedStamps({ tillCard, recentActions }: TillState): TillCard | null {
  if (tillCard === null || tillCard.state === null) return tillCard;
  const ids = [tillCard.pass.id, bareCode(tillCard.pass.qrCodeValue)];
  const saved = recentActions.filter(
    ({ queued, cards }) => queued !== null && cards.some((id) => ids.includes(id)),
  );
  const stamps = saved.reduce((sum, { counts }) => sum + (counts.stamps ?? 0), tillCard.state.currentStamps);
  const currentStamps = Math.min(stamps, tillCard.state.maxStamps);
  return { ...tillCard, state: { ...tillCard.state, currentStamps } };
}

function WaitingRewards({ tillCard: { pass, state } }: { readonly tillCard: TillCard }) {
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
  const pointCard = getPointCard(pass);
  return (
    <>
      <StampCard
        template={pass.template}
        maxStamps={state?.maxStamps ?? null}
        stamps={state?.currentStamps ?? 0}
        pointsText={pointCard === null ? null : describePoints(pass, pointCard.available)}
      />
      {pointCard !== null && pointCard.pending > 0 && (
        <p class="quiet">{words.pointsPending(describePoints(pass, pointCard.pending))}</p>
      )}
      {pointCard !== null && pointCard.debt > 0 && (
        <p class="quiet">{words.pointsOwed(describePoints(pass, pointCard.debt))}</p>
      )}
      {state === null && pointCard === null && <p class="note">{words.noStamps}</p>}
      {state !== null && !hasScopes("loyalty:manage") && <p class="quiet">{words.mayNotStamp}</p>}
    </>
  );
}

/** Shows the scanned card's points or stamps in one line, to leave space for the amount's keys. */
function BalanceLine({ pass, state }: TillCard) {
  const pointCard = getPointCard(pass);
  if (pointCard !== null) return <p class="quiet">{describePoints(pass, pointCard.available)}</p>;
  if (state === null) return null;
  return (
    <p class="quiet">
      {words.progress(state.currentStamps, state.maxStamps)} {words.stamps}
    </p>
  );
}

/** Returns a card's points if the card earns them from purchases, otherwise `null`. */
const getPointCard = ({ pointCard, template }: WalletPassDetail) =>
  template.earning === null ? null : pointCard;

const describePoints = ({ template }: WalletPassDetail, points: number) =>
  describeUnits(points, "points", template.points?.unit ?? null);

interface OutcomeProps {
  readonly state: TillState;
  readonly onUndo: (id: number) => void;
}

/**
 * Shows the current card's result as the largest element on the screen. Until there is a result, shows the number of stamps, except
 * while the till is asking the user a question.
 */
function Outcome({ state: { outcome, tillCard, secondsSinceStamp, isPadOpen }, onUndo }: OutcomeProps) {
  const stamps = tillCard?.state ?? null;
  const hasQuestion = secondsSinceStamp !== null || (stamps?.rewardsAvailable ?? 0) > 0;
  const pointCard = tillCard === null ? null : getPointCard(tillCard.pass);
  const progressText = stamps === null ? null : words.progress(stamps.currentStamps, stamps.maxStamps);
  // After "Card full", a new card begins, and the stamps belong to it.
  const isNewCard = stamps !== null && stamps.currentStamps === 0 && stamps.rewardsAvailable > 0;
  const tone = outcome === null ? "" : outcome.isGood ? "good" : "bad";
  return (
    <div class={`outcome ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      {outcome === null ? (
        !hasQuestion &&
        !isPadOpen && (
          <>
            {progressText !== null && (
              <span class="outcome-text">
                {progressText} <span class="unseen">{words.stamps}</span>
              </span>
            )}
            {tillCard !== null && pointCard !== null && (
              <span class="outcome-text">{describePoints(tillCard.pass, pointCard.available)}</span>
            )}
          </>
        )
      ) : (
        <>
          <span class="mark" aria-hidden="true">
            {outcome.isGood ? "✓" : "✕"}
          </span>
          <span class="grow">
            <span class={`outcome-text ${outcome.text.length > MAX_LARGE_LENGTH ? "long" : ""}`}>
              {outcome.text}
            </span>
            {progressText !== null && (
              <span class="outcome-more"> {isNewCard ? words.newCard(progressText) : progressText}</span>
            )}
          </span>
          {outcome.undo !== null && (
            <Button text={words.undo} disabled={outcome.isUndoing} onClick={() => onUndo(outcome.id)} />
          )}
        </>
      )}
    </div>
  );
}

interface StampCardProps {
  readonly template: WalletPassDetail["template"];
  /** The number of stamps that fill the card, or `null` if the card has no stamps. */
  readonly maxStamps: number | null;
  readonly stamps: number;
  /** The points that can be spent, or `null` if the card earns no points. */
  readonly pointsText: string | null;
}

/** Returns how many stamps to show per row on a card with the given maximum number of stamps. */
function countColumns(maxStamps: number): number {
  if (maxStamps <= 6) return maxStamps;
  return maxStamps <= 12 ? Math.ceil(maxStamps / 2) : 10;
}

/** Shows a card's stamps in a large format and in the card's colors, for the till. */
function StampCard({ template: { name, reward, design }, maxStamps, stamps, pointsText }: StampCardProps) {
  const colors = design && { "--card-color": design.backgroundColor, "--card-text": design.foregroundColor };
  return (
    <div class="stamp-card" style={colors ?? {}}>
      <div class="card-head">
        <span>{maxStamps === null || reward === null ? name : `${name} · ${reward}`}</span>
        {pointsText !== null && <span class="number">{pointsText}</span>}
        {maxStamps !== null && (
          <span class="number">
            {stamps} / {maxStamps}
          </span>
        )}
      </div>
      {maxStamps !== null && (
        <div
          class="stamps"
          role="img"
          aria-label={cardPictureWords.progress(stamps, maxStamps)}
          style={{ "--columns": countColumns(maxStamps) }}
        >
          {Array.from({ length: maxStamps }, (_, index) => (
            <span key={index} class={`stamp ${index < stamps ? "filled" : ""}`} />
          ))}
        </div>
      )}
    </div>
  );
}
