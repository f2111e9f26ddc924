import { useState } from "preact/hooks";
import type { StampCard, StampReceipt } from "../../../../src/resources/stamps.js";
import { api } from "../api/calls.js";
import { Button } from "../parts/button.js";
import { ConfirmButton } from "../parts/dialog.js";
import { CountField, TextField } from "../parts/field.js";
import { counted } from "../words/en/forms.js";

interface StampActionsProps {
  readonly passId: string;
  readonly card: StampCard;
  /** Tells how a change went. Resolves to whether it was done. */
  readonly onWrite: (change: Promise<StampReceipt>, said: string) => Promise<boolean>;
}

/** Adds, removes, sets, resets and redeems. */
export function StampActions({ passId, card, onWrite }: StampActionsProps) {
  const [typed, setTyped] = useState("1");
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const count = Number(typed);
  const isWhole = typed.trim() !== "" && Number.isSafeInteger(count) && count >= 0 && count <= 100;
  const isCount = isWhole && count >= 1;
  const noted = note.trim() === "" ? {} : { note: note.trim() };
  const stamps = counted(count, "stamp");

  const write = async (change: Promise<StampReceipt>, said: string) => {
    setBusy(true);
    if (await onWrite(change, said)) setNote("");
    setBusy(false);
  };
  const add = () => write(api.stamps.add(passId, { count, ...noted }), `${stamps} added`);
  const remove = () => write(api.stamps.remove(passId, { count, ...noted }), `${stamps} removed`);
  const set = () => write(api.stamps.set(passId, { stamps: count, ...noted }), `The card has ${stamps} now`);
  const redeem = () => write(api.stamps.redeem(passId, noted), "A reward was redeemed");
  const reset = () => write(api.stamps.reset(passId), "The stamps were taken off");

  return (
    <div class="stack tight">
      <div class="row">
        <div class="bound">
          <CountField
            label="Stamps"
            error={isWhole ? "" : "1 to 100, or 0 to make it none"}
            max={100}
            value={typed}
            onText={setTyped}
          />
        </div>
        <div class="grow">
          <TextField label="Note" maxLength={512} value={note} onText={setNote} />
        </div>
      </div>
      <div class="row">
        <Button text="Add" kind="primary" disabled={!isCount || isBusy} onClick={() => void add()} />
        <Button
          text="Remove"
          disabled={!isCount || isBusy || count > card.currentStamps}
          onClick={() => void remove()}
        />
        <Button
          text={isWhole ? `Make it ${typed.trim()}` : "Make it"}
          disabled={isBusy || !isWhole || count >= card.maxStamps}
          onClick={() => void set()}
        />
        <ConfirmButton
          text="Take all off"
          disabled={isBusy || card.currentStamps === 0}
          title="Take all stamps off this card?"
          verb={`Take off ${counted(card.currentStamps, "stamp")}`}
          call={reset}
        >
          <p>Rewards stay.</p>
        </ConfirmButton>
        <Button
          text="Redeem"
          disabled={isBusy || card.rewardsAvailable === 0}
          onClick={() => void redeem()}
        />
      </div>
    </div>
  );
}
