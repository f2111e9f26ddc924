import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { parts as words } from "../words/en/parts.js";
import { Button, type ButtonProps } from "./button.js";
import { runWithToast, showToast } from "./toasts.js";

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean | undefined;
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
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // What was done in the dialog may have given the focus to something else.
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
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
        // Browsers close it at a second Escape regardless, which would lose its content.
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

type DrawDialog = (close: () => void) => ComponentChildren;

/** A dialog, and what shows it. It stays where its owner puts it when the button that opened it goes. */
export function useDialog(draw: DrawDialog): {
  readonly show: () => void;
  readonly dialog: ComponentChildren;
} {
  const [isOpen, setOpen] = useState(false);
  return { show: () => setOpen(true), dialog: isOpen && draw(() => setOpen(false)) };
}

interface DialogButtonProps extends Omit<ButtonProps, "onClick"> {
  readonly dialog: DrawDialog;
}

/** A button that opens a dialog, which goes when the button goes. */
export function DialogButton({ dialog: draw, ...button }: DialogButtonProps) {
  const { show, dialog } = useDialog(draw);
  return (
    <>
      <Button {...button} onClick={show} />
      {dialog}
    </>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** The text of the button that confirms, with the name of what it is done to. */
  readonly verb: string;
  readonly call: () => Promise<unknown>;
  /** The message after it. */
  readonly said?: string | undefined;
  readonly onDone?: (() => void) | undefined;
  /** The consequences. */
  readonly children: ComponentChildren;
}

/** Asks before a call that can't be undone, and stays until that is answered. */
export function ConfirmDialog({
  title,
  verb,
  call,
  said,
  onDone,
  onClose,
  children,
}: ConfirmProps & { readonly onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    const isDone = await runWithToast(call);
    setBusy(false);
    onClose();
    if (!isDone) return;
    if (said !== undefined) showToast(said);
    onDone?.();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <div class="actions">
        <Button text={words.keep} onClick={onClose} />
        <Button kind="danger" disabled={isBusy} text={verb} onClick={() => void confirm()} />
      </div>
    </Dialog>
  );
}

interface ConfirmButtonProps extends Omit<ButtonProps, "onClick" | "children">, ConfirmProps {
  /** The text of the button. */
  readonly text: string;
}

/** A button that asks before a call that can't be undone. */
export function ConfirmButton({ title, verb, call, said, onDone, children, ...button }: ConfirmButtonProps) {
  const asked = { title, verb, call, said, onDone };
  return (
    <DialogButton
      {...button}
      dialog={(close) => (
        <ConfirmDialog {...asked} onClose={close}>
          {children}
        </ConfirmDialog>
      )}
    />
  );
}
