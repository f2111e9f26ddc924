import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { showToast } from "../components/toasts.js";
import { secrets as words } from "../words/en/developers.js";

export interface Secret {
  readonly title: string;
  /** Explains what the secret is for. Omit if the title already does. */
  readonly purpose?: string;
  readonly secret: string;
}

interface SecretDialogProps extends Secret {
  readonly onClose: () => void;
}

/** A dialog that shows a secret once. It can't be closed by accident. */
export function SecretDialog({ title, purpose = "", secret, onClose }: SecretDialogProps) {
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    showToast(words.copied);
  };
  return (
    <Dialog title={title}>
      <p>
        {purpose} {words.onlyOnce}
      </p>
      <code class="secret">{secret}</code>
      <div class="actions">
        {/* Browsers allow copying only on https and localhost. Elsewhere, one click selects the whole secret. */}
        {window.isSecureContext && <Button text={words.copy} onClick={() => void copy()} />}
        <Button text={words.done} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}
