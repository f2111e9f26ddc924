import { useState } from "preact/hooks";
import type { Purchase, PurchaseLine } from "../../../../../src/purchases/schema.js";
import { api, createIdempotencyKey } from "../api/calls.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText } from "../components/feedback.js";
import { Check, CountField, TextField } from "../components/field.js";
import { useSave } from "../components/form.js";
import { formatChanges, type PointNames } from "../components/purchase-words.js";
import { showToast } from "../components/toasts.js";
import { parts } from "../words/en/parts.js";
import { returning as words } from "../words/en/purchases.js";
import { getLineName } from "./purchase-lines.js";

interface ReturnDialogProps {
  readonly purchase: Purchase;
  readonly pointNames: PointNames;
  readonly onClose: () => void;
  readonly onReturned: () => void;
}

/** A line that hasn't come back as a whole. `left` is the number of its items that can still come back. */
interface OpenLine {
  readonly line: PurchaseLine;
  readonly name: string;
  readonly left: number;
}

/** A dialog to record a return: some items of a purchase's lines, or everything. */
export function ReturnDialog({ purchase, pointNames, onClose, onReturned }: ReturnDialogProps) {
  const { source, receipt } = purchase;
  // The same ID for each attempt, so that nothing comes back twice.
  const [returnId] = useState(createIdempotencyKey);
  const [isAll, setAll] = useState(false);
  const [inputs, setInputs] = useState<ReadonlyMap<string, string>>(new Map());
  const [note, setNote] = useState("");
  const { isBusy, error, save } = useSave();
  const openLines = listOpenLines(purchase);
  const counts = openLines.map(({ line, left }) => {
    const count = Number(inputs.get(line.id) ?? "0");
    return {
      id: line.id,
      quantity: count,
      isValid: Number.isSafeInteger(count) && count >= 0 && count <= left,
    };
  });
  const lines = counts.filter(({ quantity }) => quantity > 0).map(({ id, quantity }) => ({ id, quantity }));
  const isReady = isAll || (lines.length > 0 && counts.every(({ isValid }) => isValid));

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!isReady) return;
    void save(async () => {
      const { changes, isApplied } = await api.purchases.addReturn(source, receipt, {
        returnId,
        ...(isAll ? { all: true } : { lines }),
        ...(note.trim() !== "" && { note: note.trim() }),
      });
      const changesText = formatChanges(changes, pointNames);
      showToast(
        !isApplied ? words.frozen : changesText === "" ? words.doneWithoutChange : words.done(changesText),
      );
      onClose();
      onReturned();
    });
  };
  return (
    <Dialog title={words.title} onClose={onClose} onSubmit={submit}>
      <Check isChecked={isAll} onChange={setAll}>
        {words.everything}
      </Check>
      {!isAll &&
        openLines.map(({ line: { id }, name, left }, index) =>
          left === 0 ? (
            <p key={id}>
              <bdi>{name}</bdi>: <span class="quiet">{words.onlyWithAll}</span>
            </p>
          ) : (
            <CountField
              key={id}
              label={name}
              hint={words.pieces(left)}
              error={counts[index]?.isValid === false ? words.piecesWrong(left) : ""}
              max={left}
              value={inputs.get(id) ?? "0"}
              onText={(text) => setInputs(new Map(inputs).set(id, text))}
            />
          ),
        )}
      <TextField label={words.note} maxLength={512} value={note} onText={setNote} />
      <p class="quiet">{words.about}</p>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      <div class="actions">
        <Button text={parts.cancel} onClick={onClose} />
        <Button text={words.do} kind="danger" type="submit" disabled={!isReady || isBusy} />
      </div>
    </Dialog>
  );
}

function listOpenLines({ lines }: Purchase): readonly OpenLine[] {
  return lines
    .map((line, index) => ({
      line,
      name: getLineName(line, index),
      left: line.quantity - line.returned.quantity,
    }))
    .filter(({ line, left }) => left > 0 || line.amount > line.returned.amount);
}
