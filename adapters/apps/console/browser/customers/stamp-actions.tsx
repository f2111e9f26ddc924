import { useState } from "preact/hooks";
import type { StampCard, StampReceipt } from "../../../../../src/cards/stamps-schema.js";
import { api } from "../api/calls.js";
import { Button } from "../components/button.js";
import { ConfirmButton } from "../components/dialog.js";
import { CountField, TextField } from "../components/field.js";
import { customerCard as words } from "../words/en/customer.js";

interface StampActionsProps {
  readonly passId: string;
  readonly card: StampCard;
  /** Shows the outcome of a change, and resolves to whether the change succeeded. */
  readonly onWrite: (change: Promise<StampReceipt>, said: string) => Promise<boolean>;
}

/** Buttons for adding, removing, setting, and resetting stamps, and for redeeming rewards. */
export function StampActions({ passId, card, onWrite }: StampActionsProps) {
  const [typed, setTyped] = useState("1");
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const count = Number(typed);
  const isWhole = typed.trim() !== "" && Number.isSafeInteger(count) && count >= 0 && count <= 100;
  const isCount = isWhole && count >= 1;
  const noted = note.trim() === "" ? {} : { note: note.trim() };

  const write = async (change: Promise<StampReceipt>, said: string) => {
    setBusy(true);
    if (await onWrite(change, said)) setNote("");
    setBusy(false);
  };
  const add = () => write(api.stamps.add(passId, { count, ...noted }), words.added(count));
  const remove = () => write(api.stamps.remove(passId, { count, ...noted }), words.removed(count));
  const set = () => write(api.stamps.set(passId, { stamps: count, ...noted }), words.hasNow(count));
  const redeem = () => write(api.stamps.redeem(passId, noted), words.redeemed);
  const reset = () => write(api.stamps.reset(passId), words.takenOff);

  return (
    <div class="stack tight">
      <div class="row">
        <div class="bound">
          <CountField
            label={words.stamps}
            error={isWhole ? "" : words.stampsWrong}
            max={100}
            value={typed}
            onText={setTyped}
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
          text={isWhole ? words.makeIt(typed.trim()) : words.make}
          disabled={isBusy || !isWhole || count >= card.maxStamps}
          onClick={() => void set()}
        />
        <ConfirmButton
          text={words.takeAll}
          disabled={isBusy || card.currentStamps === 0}
          title={words.takeAllTitle}
          verb={words.takeAllVerb(card.currentStamps)}
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
