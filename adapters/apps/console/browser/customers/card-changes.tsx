import { useState } from "preact/hooks";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { CountField, TextField } from "../components/field.js";
import type { MenuItem } from "../components/menu.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customerCard as words } from "../words/en/customer.js";
import { parts } from "../words/en/parts.js";

/** What a card's actions share, whether it collects stamps or points. */
export interface CardActionsProps {
  /** Whether the everyday action is the screen's main action. */
  readonly isPrimary: boolean;
  readonly menuLabel: string;
  /** Menu items that aren't about stamps or points. */
  readonly otherItems: readonly MenuItem[];
}

/** Changes a card, and offers an undo in a toast. Resolves to `true` if the change succeeded. */
export type RunChange<Receipt> = (change: () => Promise<Receipt>, message: string) => Promise<boolean>;

/**
 * Returns a function that changes a card, and whether a change is running.
 * @param onReceipt called after each change, and after each undo.
 * @param reverse undoes the change that made an entry.
 */
export function useCardChanges<Receipt extends { readonly entryId: string }>(
  onReceipt: (receipt: Receipt) => void,
  reverse: (input: { readonly entryId: string; readonly note: string }) => Promise<Receipt>,
): { readonly isBusy: boolean; readonly runChange: RunChange<Receipt> } {
  const [isBusy, setBusy] = useState(false);
  const undo = (entryId: string) =>
    runWithToast(async () => {
      onReceipt(await reverse({ entryId, note: words.undone }));
      showToast(words.undone);
    });
  const runChange: RunChange<Receipt> = async (change, message) => {
    setBusy(true);
    const isDone = await runWithToast(async () => {
      const receipt = await change();
      onReceipt(receipt);
      showToast(message, () => void undo(receipt.entryId));
    });
    setBusy(false);
    return isDone;
  };
  return { isBusy, runChange };
}

/** How many stamps or points a change is about. */
interface Amount {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** The error message for a number that isn't between `min` and `max`. */
  readonly error: string;
}

interface ChangeDialogProps {
  /** The dialog's title, which is also the label of its main button. */
  readonly text: string;
  /** The amount to ask for, or `null` if the change has none. */
  readonly amount: Amount | null;
  /** Makes the change. Resolves to whether it succeeded. */
  readonly send: (amount: number, note: { readonly note?: string }) => Promise<boolean>;
  readonly onClose: () => void;
}

/** A dialog for a change of a card, with an amount and a note. It stays open if the change fails. */
export function ChangeDialog({ text, amount, send, onClose }: ChangeDialogProps) {
  const [input, setInput] = useState("");
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const count = Number(input);
  const isValid =
    amount === null ||
    (input.trim() !== "" && Number.isSafeInteger(count) && count >= amount.min && count <= amount.max);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!isValid || isBusy) return;
    setBusy(true);
    const isDone = await send(count, note.trim() === "" ? {} : { note: note.trim() });
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <Dialog title={text} onClose={onClose} onSubmit={submit}>
      {amount !== null && (
        <CountField
          label={amount.label}
          error={input === "" || isValid ? "" : amount.error}
          min={amount.min}
          max={amount.max}
          value={input}
          onText={setInput}
        />
      )}
      <TextField label={words.note} maxLength={512} value={note} onText={setNote} />
      <div class="actions">
        <Button text={parts.cancel} onClick={onClose} />
        <Button text={text} kind="primary" type="submit" disabled={!isValid || isBusy} />
      </div>
    </Dialog>
  );
}

/** Builds a menu item that opens a {@link ChangeDialog}. */
export const buildChangeItem = (change: Omit<ChangeDialogProps, "onClose">): MenuItem => ({
  text: words.asks(change.text),
  dialog: (close) => <ChangeDialog {...change} onClose={close} />,
});
