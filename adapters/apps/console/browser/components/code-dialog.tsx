import { type CallReference, createSnippet } from "../api/call-snippet.js";
import { hasScopes, mount } from "../api/session.js";
import { code as words } from "../words/en/code.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import type { MenuItem } from "./menu.js";
import { showToast } from "./toasts.js";

interface CodeDialogProps {
  readonly call: CallReference;
  readonly onClose: () => void;
}

/** A dialog that shows an API call as a shell command and as JavaScript code, ready to copy. */
export function CodeDialog({ call, onClose }: CodeDialogProps) {
  const { curl, client } = createSnippet(location.origin + mount, call);
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    showToast(words.copied);
  };
  return (
    <Dialog title={words.title} isWide onClose={onClose}>
      <p class="quiet">
        {words.set} <code>LOYALTY_TOKEN</code> {words.toToken}
      </p>
      {[
        { label: words.forShell, verb: words.copyCurl, text: curl },
        { label: words.forProgram, verb: words.copyClient, text: client },
      ].map(({ label, verb, text }) => (
        <section key={label} class="stack tight" aria-label={label}>
          <pre class="secret">{text}</pre>
          {/* Browsers allow copying only on https and localhost. Elsewhere, one click selects the whole text. */}
          {window.isSecureContext && (
            <div class="row">
              <Button text={verb} onClick={() => void copy(text)} />
            </div>
          )}
        </section>
      ))}
      <div class="actions">
        <Button text={words.done} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}

/**
 * Returns an array with a menu item that shows the code for an API call. The array is empty if the user isn't allowed to manage API
 * tokens.
 */
export function codeItems(call: CallReference): readonly MenuItem[] {
  if (!hasScopes("api_token:manage")) return [];
  return [
    {
      text: words.item,
      hint: words.itemHint,
      dialog: (close) => <CodeDialog call={call} onClose={close} />,
    },
  ];
}
