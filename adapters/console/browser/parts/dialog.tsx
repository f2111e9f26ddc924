import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.js";

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  /** Without it the dialog stays until it is answered. */
  readonly onClose?: () => void;
  /** Makes the contents a form. */
  readonly onSubmit?: (event: SubmitEvent) => void;
  readonly children: ComponentChildren;
}

/** A dialog over the page. The browser keeps the focus in it, and gives it back. */
export function Dialog({ title, isWide = false, onClose, onSubmit, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const inside = (
    <>
      <h2 id={id}>{title}</h2>
      {children}
    </>
  );
  return (
    <dialog
      ref={element}
      class={isWide ? "wide" : ""}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={({ currentTarget }) => {
        // Browsers close it at a second Escape whatever they are told; what it holds would be gone.
        if (onClose === undefined && currentTarget.isConnected) currentTarget.showModal();
      }}
    >
      {onSubmit === undefined ? (
        <div>{inside}</div>
      ) : (
        <form onSubmit={onSubmit} noValidate>
          {inside}
        </form>
      )}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What will be so afterwards. */
  readonly children: ComponentChildren;
  /** What the button says, with the name of what it is done to. */
  readonly verb: string;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that can't be undone. */
export function Confirm({ title, children, verb, isBusy = false, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <div class="actions">
        <Button onClick={onClose}>Keep</Button>
        <Button kind="danger" disabled={isBusy} onClick={onConfirm}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
