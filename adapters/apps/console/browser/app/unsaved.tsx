import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { app as words } from "../words/en/app.js";
import { useLeaveGuard } from "./router.js";

interface UnsavedChangesProps {
  readonly isDirty: boolean;
  /** Whether the work is being saved at the moment. */
  readonly isBusy?: boolean;
}

/** While there is unsaved work, asks the user for confirmation before they follow a link, go back, or leave the page. */
export function UnsavedChanges({ isDirty, isBusy = false }: UnsavedChangesProps) {
  const [pendingLeave, setPendingLeave] = useState<(() => void) | null>(null);
  const guard = useCallback((leavePage: () => void) => setPendingLeave(() => leavePage), []);
  useUnsavedWarning(isDirty);
  useLeaveGuard(isDirty ? guard : null);
  if (pendingLeave === null) return null;
  const cancel = () => setPendingLeave(null);
  return (
    <Dialog title={words.leave} onClose={cancel}>
      <p>{isBusy ? words.changesBeingSaved : words.changesNotSaved}</p>
      <div class="actions">
        <Button text={words.leaveWithoutSaving} kind="danger" onClick={pendingLeave} />
        <Button text={words.stay} kind="primary" onClick={cancel} />
      </div>
    </Dialog>
  );
}

/** While there is unsaved work, makes the browser ask for confirmation before the user closes or leaves the page. */
function useUnsavedWarning(isDirty: boolean): void {
  // A layout effect, so that the warning is removed in the same frame that shows the work as saved.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
