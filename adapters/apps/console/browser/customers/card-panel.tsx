import { useMemo, useState } from "preact/hooks";
import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { StampCard, StampReceipt } from "../../../../../src/cards/stamps-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import { createEmptyPoints } from "../../../../delivery/languages/point-words.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { CardPicture } from "../components/card-picture.js";
import { ConfirmButton } from "../components/dialog.js";
import { Loading } from "../components/feedback.js";
import { CountField, TextField } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customerCard as words } from "../words/en/customer.js";
import { PointPanel } from "./point-panel.js";

interface CardPanelProps {
  readonly pass: WalletPassDetail;
  readonly owner: User;
  readonly onDeleted: () => void;
  /** Called after a change that adds an entry to the timeline. */
  readonly onChanged: () => void;
}

/** Shows one of a customer's cards, with buttons to change its stamps or points. */
export function CardPanel({ pass, owner, onDeleted, onChanged }: CardPanelProps) {
  const { id, template, qrCodeValue, stampProgress } = pass;
  const state = useLoad(id, async (calls) => (stampProgress === null ? null : calls.stamps.state(id)));
  const card = state.value;
  const pointState = useLoad(id, async (calls) => (pass.pointCard === null ? null : calls.points.state(id)));
  const points = pointState.value ?? pass.pointCard;
  const available = points?.available ?? null;
  const debt = points?.debt ?? 0;
  const picturedPoints = useMemo(() => {
    const empty = createEmptyPoints(template.points);
    return available === null || empty === null ? null : { ...empty, available, debt };
  }, [template.points, available, debt]);
  const address = owner.email;
  const [isMailing, setMailing] = useState(false);

  const mail = async () => {
    setMailing(true);
    await runWithToast(async () => {
      await api.passes.notify(id);
      onChanged();
      showToast(words.onItsWay(address ?? ""));
    });
    setMailing(false);
  };

  const showReceipt = ({ entryId, completions: _, ...after }: StampReceipt) => {
    state.set(after);
    onChanged();
    return entryId;
  };
  const undo = (entryId: string) =>
    runWithToast(async () => {
      showReceipt(await api.stamps.reverse(id, { entryId, note: words.undone }));
      showToast(words.undone);
    });
  const runChange = (change: Promise<StampReceipt>, message: string) =>
    runWithToast(async () => {
      const entryId = showReceipt(await change);
      showToast(message, () => void undo(entryId));
    });

  return (
    <section class="panel padded stack" aria-label={template.name}>
      <CardPicture
        card={template}
        maxStamps={stampProgress?.maxStamps ?? null}
        stamps={card?.currentStamps ?? stampProgress?.currentStamps ?? 0}
        rewards={card?.rewardsAvailable ?? 0}
        points={picturedPoints}
      />
      {stampProgress !== null && (
        <Loading data={state} height={hasScopes("loyalty:manage") ? "8.75rem" : "1.25rem"} />
      )}
      {card !== null && (
        <>
          <p class="quiet">{words.inAll(card.totalStampsCollected, card.timesCompleted)}</p>
          {hasScopes("loyalty:manage") && <StampActions passId={id} card={card} onRunChange={runChange} />}
        </>
      )}
      {points !== null && (
        <>
          <Loading data={pointState} />
          <PointPanel
            pass={pass}
            card={points}
            onChanged={(after) => {
              pointState.set(after);
              onChanged();
            }}
          />
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
              confirmText={words.cancel}
              call={() => api.passes.delete(id)}
              successMessage={words.canceled(template.name)}
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

interface StampActionsProps {
  readonly passId: string;
  readonly card: StampCard;
  /** Shows the outcome of a change, and resolves to whether the change succeeded. */
  readonly onRunChange: (change: Promise<StampReceipt>, message: string) => Promise<boolean>;
}

/** Buttons for adding, removing, setting, and resetting stamps, and for redeeming rewards. */
function StampActions({ passId, card, onRunChange }: StampActionsProps) {
  const [input, setInput] = useState("1");
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const count = Number(input);
  const isValidCount = input.trim() !== "" && Number.isSafeInteger(count) && count >= 0 && count <= 100;
  const isCount = isValidCount && count >= 1;
  const noteFields = note.trim() === "" ? {} : { note: note.trim() };

  const runChange = async (change: Promise<StampReceipt>, message: string) => {
    setBusy(true);
    if (await onRunChange(change, message)) setNote("");
    setBusy(false);
  };
  const add = () => runChange(api.stamps.add(passId, { count, ...noteFields }), words.added(count));
  const remove = () => runChange(api.stamps.remove(passId, { count, ...noteFields }), words.removed(count));
  const set = () => runChange(api.stamps.set(passId, { stamps: count, ...noteFields }), words.hasNow(count));
  const redeem = () => runChange(api.stamps.redeem(passId, noteFields), words.redeemed);
  const reset = () => runChange(api.stamps.reset(passId), words.takenOff);

  return (
    <div class="stack tight">
      <div class="row">
        <div class="bound">
          <CountField
            label={words.stamps}
            error={isValidCount ? "" : words.stampsWrong}
            max={100}
            value={input}
            onText={setInput}
          />
        </div>
        <div class="grow">
          <TextField label={words.note} maxLength={512} value={note} onText={setNote} />
        </div>
      </div>
      <div class="row">
        <Button text={words.add} kind="primary" disabled={!isCount || isBusy} onClick={() => void add()} />
        <Button
          text={words.remove}
          disabled={!isCount || isBusy || count > card.currentStamps}
          onClick={() => void remove()}
        />
        <Button
          text={isValidCount ? words.makeIt(input.trim()) : words.make}
          disabled={isBusy || !isValidCount || count >= card.maxStamps}
          onClick={() => void set()}
        />
        <ConfirmButton
          text={words.takeAll}
          disabled={isBusy || card.currentStamps === 0}
          title={words.takeAllTitle}
          confirmText={words.takeAllVerb(card.currentStamps)}
          call={reset}
        >
          <p>{words.rewardsStay}</p>
        </ConfirmButton>
        <Button
          text={words.redeem}
          disabled={isBusy || card.rewardsAvailable === 0}
          onClick={() => void redeem()}
        />
      </div>
    </div>
  );
}
