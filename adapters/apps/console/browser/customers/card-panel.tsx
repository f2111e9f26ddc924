import { useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { StampReceipt } from "../../../../../src/cards/stamps-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { CardPicture } from "../components/card-picture.js";
import { ConfirmButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customerCard as words } from "../words/en/customer.js";
import { StampActions } from "./stamp-actions.js";

interface CardPanelProps {
  readonly pass: WalletPassDetail;
  readonly owner: User;
  readonly onDeleted: () => void;
  /** Called after a change that adds an entry to the timeline. */
  readonly onHappened: () => void;
}

/** Shows one of a customer's cards, with buttons to change its stamps. */
export function CardPanel({ pass, owner, onDeleted, onHappened }: CardPanelProps) {
  const { id, template, qrCodeValue, stampProgress } = pass;
  const state = useLoad(id, async (calls) => (stampProgress === null ? null : calls.stamps.state(id)));
  const card = state.value;
  const address = owner.email;
  const [isMailing, setMailing] = useState(false);

  const mail = async () => {
    setMailing(true);
    await runWithToast(async () => {
      await api.passes.notify(id);
      onHappened();
      showToast(words.onItsWay(address ?? ""));
    });
    setMailing(false);
  };

  const show = ({ entryId, completions: _, ...after }: StampReceipt) => {
    state.set(after);
    onHappened();
    return entryId;
  };
  const undo = (entryId: string) =>
    runWithToast(async () => {
      show(await api.stamps.reverse(id, { entryId, note: words.undone }));
      showToast(words.undone);
    });
  const write = (change: Promise<StampReceipt>, said: string) =>
    runWithToast(async () => {
      const entryId = show(await change);
      showToast(said, () => void undo(entryId));
    });

  return (
    <section class="panel padded stack" aria-label={template.name}>
      <CardPicture
        card={template}
        maxStamps={stampProgress?.maxStamps ?? null}
        stamps={card?.currentStamps ?? stampProgress?.currentStamps ?? 0}
        rewards={card?.rewardsAvailable ?? 0}
      />
      {stampProgress !== null && (
        <Loading of={state} height={hasScopes("loyalty:manage") ? "8.75rem" : "1.25rem"} />
      )}
      {card !== null && (
        <>
          <p class="quiet">{words.inAll(card.totalStampsCollected, card.timesCompleted)}</p>
          {hasScopes("loyalty:manage") && <StampActions passId={id} card={card} onWrite={write} />}
        </>
      )}
      <div class="row spread">
        <a href={qrCodeValue} target="_blank" rel="noreferrer">
          {words.page}
        </a>
        <div class="row">
          {hasScopes("pass:notify") && address !== null && (
            <Button text={words.sendAgain} disabled={isMailing} onClick={() => void mail()} />
          )}
          {hasScopes("pass:delete") && (
            <ConfirmButton
              kind="plain"
              text={words.cancel}
              title={words.cancelTitle(template.name)}
              verb={words.cancel}
              call={() => api.passes.delete(id)}
              said={words.canceled(template.name)}
              onDone={onDeleted}
            >
              <p>{words.cancelText}</p>
            </ConfirmButton>
          )}
        </div>
      </div>
    </section>
  );
}
