import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { tell } from "../parts/toasts.js";

export interface Secret {
  readonly title: string;
  /** What it is for; nothing where the title says so. */
  readonly use?: string;
  readonly secret: string;
}

interface ShownOnceProps extends Secret {
  readonly onClose: () => void;
}

/** A secret that nobody can read again. It can't be dismissed by accident. */
export function ShownOnce({ title, use = "", secret, onClose }: ShownOnceProps) {
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    tell("It was copied");
  };
  return (
    <Dialog title={title}>
      <p>{use} It is shown this once and never again.</p>
      <code class="secret">{secret}</code>
      <div class="actions">
        {/* Browsers copy on https and on localhost alone; elsewhere one click selects all of it. */}
        {window.isSecureContext && <Button onClick={() => void copy()}>Copy</Button>}
        <Button kind="primary" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
