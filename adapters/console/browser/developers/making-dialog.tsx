import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Scope } from "../../../../src/scopes.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";
import { CallError } from "../parts/call-error.js";
import { Dialog } from "../parts/dialog.js";
import { type Secret, ShownOnce } from "./shown-once.js";

interface MakeNewProps {
  readonly scope: Scope;
  /** What the button says. */
  readonly text: string;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button for those who may, and the dialog that it opens. */
export function MakeNew({ scope, text, children }: MakeNewProps) {
  const [isOpen, setOpen] = useState(false);
  if (!may(scope)) return null;
  return (
    <div class="row">
      <Button kind="primary" onClick={() => setOpen(true)}>
        {text}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </div>
  );
}

/** What is wrong with a field, or with the first wrong item of a list. */
export type ErrorAt = (field: string) => string | undefined;

interface MakingDialogProps {
  readonly title: string;
  readonly verb: string;
  /** Those that show what is wrong with them; all else is told above the buttons. */
  readonly fields: readonly string[];
  /** @returns what is shown once; `null` for nothing. */
  readonly make: () => Promise<Secret | null>;
  readonly onClose: () => void;
  readonly children: (errorAt: ErrorAt) => ComponentChildren;
}

/** A form for something new. What is refused is told at its field, and its secret is shown this once. */
export function MakingDialog({ title, verb, fields, make, onClose, children }: MakingDialogProps) {
  const [error, setError] = useState<CallError | null>(null);
  const [made, setMade] = useState<Secret | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const secret = await make();
      if (secret === null) onClose();
      else setMade(secret);
    } catch (failed) {
      if (!(failed instanceof CallError)) throw failed;
      setError(failed);
    }
  };
  if (made !== null) return <ShownOnce {...made} onClose={onClose} />;
  const errorAt: ErrorAt = (field) => {
    const told = Object.entries(error?.fields ?? {});
    const [name, message] = told.find(([name]) => name === field || name.startsWith(`${field}.`)) ?? [];
    const [, at] = name?.split(".") ?? [];
    return at === undefined ? message : `Number ${Number(at) + 1} ${message}`;
  };
  return (
    <Dialog title={title} isWide onClose={onClose} onSubmit={submit}>
      {children(errorAt)}
      {error !== null && fields.every((field) => errorAt(field) === undefined) && (
        <p class="note bad" role="alert">
          {error.message}
        </p>
      )}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit">
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
