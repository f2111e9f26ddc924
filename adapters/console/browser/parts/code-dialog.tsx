import { codedCall, type NamedCall } from "../api/coded-call.js";
import { may, mount } from "../api/session.js";
import { parts as words } from "../words/en/parts.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import type { MenuItem } from "./menu.js";
import { tell } from "./toasts.js";

interface CodeDialogProps {
  readonly call: NamedCall;
  readonly onClose: () => void;
}

/** Shows what is on the screen as the call that brings it, to be copied for a shell or a program. */
export function CodeDialog({ call, onClose }: CodeDialogProps) {
  const { curl, client } = codedCall(location.origin + mount, call);
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    tell(words.code.copied);
  };
  return (
    <Dialog title={words.code.title} isWide onClose={onClose}>
      <p class="quiet">
        {words.code.set} <code>LOYALTY_TOKEN</code> {words.code.toToken}
      </p>
      {[
        { label: words.code.forShell, verb: words.code.copyCurl, text: curl },
        { label: words.code.forProgram, verb: words.code.copyClient, text: client },
      ].map(({ label, verb, text }) => (
        <section key={label} class="stack tight" aria-label={label}>
          <pre class="secret">{text}</pre>
          {/* Browsers copy on https and on localhost alone; elsewhere one click selects all of it. */}
          {window.isSecureContext && (
            <div class="row">
              <Button text={verb} onClick={() => void copy(text)} />
            </div>
          )}
        </section>
      ))}
      <div class="actions">
        <Button text={words.code.done} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}

/** The item of a menu that shows the code of a call, for those who look after programs. */
export function codeItems(call: NamedCall): readonly MenuItem[] {
  if (!may("api_token:manage")) return [];
  return [
    {
      text: words.code.item,
      hint: words.code.itemHint,
      dialog: (close) => <CodeDialog call={call} onClose={close} />,
    },
  ];
}
