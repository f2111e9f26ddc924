import { useCallback, useState } from "preact/hooks";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { useUnsavedWarning } from "../components/unsaved-warning.js";
import { app as words } from "../words/en/app.js";
import { useLeaveGuard } from "./router.js";

/** While there is unsaved work, asks the user for confirmation before they follow a link, go back, or leave the page. */
export function Unsaved({ isDirty }: { readonly isDirty: boolean }) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const ask = useCallback((leaving: () => void) => setLeave(() => leaving), []);
  useUnsavedWarning(isDirty);
  useLeaveGuard(isDirty ? ask : null);
  if (leave === null) return null;
  const stay = () => setLeave(null);
  return (
    <Dialog title={words.leave} onClose={stay}>
      <p>{words.notSaved}</p>
      <div class="actions">
        <Button text={words.leaveNow} kind="danger" onClick={leave} />
        <Button text={words.stay} kind="primary" onClick={stay} />
      </div>
    </Dialog>
  );
}
