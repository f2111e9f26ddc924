import { useCallback, useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { useUnsavedWarning } from "../parts/form.js";
import { useLeaveQuestion } from "./router.js";

/** Asks before unsaved work is lost: by a link of the console, by the browser's way back, or with the page. */
export function Unsaved({ isDirty }: { readonly isDirty: boolean }) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const ask = useCallback((leaving: () => void) => setLeave(() => leaving), []);
  useUnsavedWarning(isDirty);
  useLeaveQuestion(isDirty ? ask : null);
  if (leave === null) return null;
  const stay = () => setLeave(null);
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p>What you have changed here is not saved yet.</p>
      <div class="actions">
        <Button text="Leave without saving" kind="danger" onClick={leave} />
        <Button text="Stay" kind="primary" onClick={stay} />
      </div>
    </Dialog>
  );
}
