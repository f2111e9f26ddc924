import { useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../src/resources/pass.js";
import type { StampReceipt, StampCard as StampState } from "../../../../src/resources/stamps.js";
import { get, post, remove } from "../app/call.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";
import { useLoad } from "../parts/load.js";
import { StampCard } from "../parts/stamp-card.js";
import { Failed } from "../parts/states.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { counted } from "../parts/words.js";
import { StampActions, type StampWrite } from "./stamp-actions.js";
import { StampHistory } from "./stamp-history.js";

interface CardPanelProps {
  readonly pass: WalletPassDetail;
  readonly onDeleted: () => void;
}

/** A card of a customer with its stamps, what can be done to them, and what was. */
export function CardPanel({ pass, onDeleted }: CardPanelProps) {
  const { id, template, qrCodeValue } = pass;
  const hasStamps = pass.stampProgress !== null;
  const state = useLoad<StampState | null>(id, async (signal) =>
    hasStamps ? get(`/v1/walletpasses/${id}/stamps`, signal) : null,
  );
  const [isAsking, setAsking] = useState(false);
  const card = state.value;

  const stamps = async (verb: string, body: unknown) => {
    const {
      entryId,
      completions: _,
      ...after
    } = await post<StampReceipt>(`/v1/walletpasses/${id}/stamps/${verb}`, body);
    state.set(after);
    return entryId;
  };
  const undo = async (entryId: string) => {
    try {
      await stamps("reverse", { entryId, note: "Undone" });
      tell("Undone");
    } catch (error) {
      tellFailure(error);
    }
  };
  const write: StampWrite = async (verb, body, said) => {
    try {
      const entryId = await stamps(verb, body);
      tell(said, () => void undo(entryId));
      return true;
    } catch (error) {
      tellFailure(error);
      return false;
    }
  };
  const revoke = async () => {
    try {
      await remove(`/v1/walletpasses/${id}`);
      onDeleted();
      tell(`The card “${template.name}” was revoked`);
    } catch (error) {
      tellFailure(error);
      setAsking(false);
    }
  };

  return (
    <section class="panel padded stack" aria-label={template.name}>
      <StampCard
        name={template.name}
        maxStamps={pass.stampProgress?.maxStamps ?? null}
        stamps={card?.currentStamps ?? pass.stampProgress?.currentStamps ?? 0}
        rewards={card?.rewardsAvailable ?? 0}
      />
      {state.error !== null && <Failed error={state.error} onRetry={state.reload} />}
      {card !== null && (
        <p class="quiet">
          {counted(card.totalStampsCollected, "stamp")} in all · {counted(card.timesCompleted, "full card")}
        </p>
      )}
      {card !== null && may("loyalty:manage") && <StampActions card={card} onWrite={write} />}
      {card !== null && <StampHistory passId={id} turn={JSON.stringify(card)} />}
      <div class="row spread">
        <a href={qrCodeValue} target="_blank" rel="noreferrer">
          Card page
        </a>
        {may("pass:delete") && (
          <Button kind="plain" onClick={() => setAsking(true)}>
            Revoke card
          </Button>
        )}
      </div>
      {isAsking && (
        <Confirm
          title={`Revoke the card “${template.name}”?`}
          verb="Revoke card"
          onConfirm={() => void revoke()}
          onClose={() => setAsking(false)}
        >
          <p>Its stamps and rewards go too, and its code no longer scans. This can’t be undone.</p>
        </Confirm>
      )}
    </section>
  );
}
