import { useState } from "preact/hooks";
import type { StampCard } from "../../../../src/resources/stamps.js";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { counted } from "../parts/words.js";

type Verb = "add" | "remove" | "set" | "reset" | "redeem";

/** Writes to a card. @returns whether it was done. */
export type StampWrite = (verb: Verb, body: unknown, said: string) => Promise<boolean>;

interface StampActionsProps {
  readonly card: StampCard;
  readonly onWrite: StampWrite;
}

/** Adds, removes, sets and redeems. */
export function StampActions({ card, onWrite }: StampActionsProps) {
  const [count, setCount] = useState("1");
  const [note, setNote] = useState("");
  const [isResetting, setResetting] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const number = Number(count);
  const isWhole = count.trim() !== "" && Number.isSafeInteger(number) && number >= 0 && number <= 100;
  const isCount = isWhole && number >= 1;
  const noted = note.trim() === "" ? {} : { note: note.trim() };

  const write = async (...args: Parameters<StampWrite>) => {
    setBusy(true);
    if (await onWrite(...args)) setNote("");
    setBusy(false);
  };
  const add = () => write("add", { count: number, ...noted }, `${counted(number, "stamp")} added`);
  const take = () => write("remove", { count: number, ...noted }, `${counted(number, "stamp")} removed`);

  return (
    <div class="stack tight">
      <div class="row">
        <div class="bound">
          <Field label="Stamps" error={isWhole ? "" : "1 to 100, or 0 to set"}>
            <input
              type="number"
              inputMode="numeric"
              min="0"
              max="100"
              value={count}
              onInput={(event) => setCount(event.currentTarget.value)}
            />
          </Field>
        </div>
        <div class="grow">
          <Field label="Note">
            <input maxLength={512} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
          </Field>
        </div>
      </div>
      <div class="row">
        <Button kind="primary" disabled={!isCount || isBusy} onClick={() => void add()}>
          Add
        </Button>
        <Button disabled={!isCount || isBusy || number > card.currentStamps} onClick={() => void take()}>
          Remove
        </Button>
        <Button
          disabled={isBusy || !isWhole || number >= card.maxStamps}
          onClick={() =>
            void write("set", { stamps: number, ...noted }, `Set to ${counted(number, "stamp")}`)
          }
        >
          Set
        </Button>
        <Button disabled={isBusy || card.currentStamps === 0} onClick={() => setResetting(true)}>
          Reset
        </Button>
        <Button
          disabled={isBusy || card.rewardsAvailable === 0}
          onClick={() => void write("redeem", noted, "A reward was redeemed")}
        >
          Redeem
        </Button>
      </div>
      {isResetting && (
        <Confirm
          title="Take all stamps off this card?"
          verb={`Take off ${counted(card.currentStamps, "stamp")}`}
          onClose={() => setResetting(false)}
          onConfirm={() => {
            setResetting(false);
            void write("reset", undefined, "The stamps were taken off");
          }}
        >
          <p>Rewards stay.</p>
        </Confirm>
      )}
    </div>
  );
}
