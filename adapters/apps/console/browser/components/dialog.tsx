import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { parts as words } from "../words/en/parts.js";
import { Button, type ButtonProps } from "./button.js";
import { runWithToast, showToast } from "./toasts.js";

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean | undefined;
  /** Called when the user closes the dialog. If omitted, the dialog can't be closed without answering it. */
  readonly onClose?: () => void;
  /** Called when the user submits the dialog. If set, the dialog's content becomes a form. */
  readonly onSubmit?: (event: SubmitEvent) => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog that traps keyboard focus while it is open. When it closes, focus returns to the element that had it before,
 * unless an action has moved focus elsewhere.
 */
export function Dialog({ title, isWide = false, onClose, onSubmit, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    const previousFocus = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // Restore the focus only if an action in the dialog hasn't moved it elsewhere.
      if (document.activeElement === document.body && previousFocus instanceof HTMLElement)
        previousFocus.focus();
    };
  }, []);
  // Only after the dialog is drawn, because without its scrollbar the whole page has to be drawn again.
  useEffect(() => {
    const { classList } = document.documentElement;
    classList.add("is-covered");
    return () => void classList.toggle("is-covered", document.querySelector("dialog[open]") !== null);
  }, []);
  const content = (
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
        // Browsers close a dialog on the second Escape regardless. Reopen it so that its content isn't lost.
        if (currentTarget.isConnected) currentTarget.showModal();
      }}
    >
      {onSubmit === undefined ? (
        <div>{content}</div>
      ) : (
        <form onSubmit={onSubmit} noValidate>
          {content}
        </form>
      )}
    </dialog>
  );
}

type RenderDialog = (close: () => void) => ComponentChildren;

/**
 * Returns a dialog and a function that opens it. Because the caller decides where to render the dialog, the dialog can stay open
 * even if the button that opened it is removed.
 */
export function useDialog(renderDialog: RenderDialog): {
  readonly show: () => void;
  readonly dialog: ComponentChildren;
} {
  const [isOpen, setOpen] = useState(false);
  return { show: () => setOpen(true), dialog: isOpen && renderDialog(() => setOpen(false)) };
}

interface DialogButtonProps extends Omit<ButtonProps, "onClick"> {
  readonly dialog: RenderDialog;
}

/** A button that opens a dialog. Removing the button also removes the dialog. */
export function DialogButton({ dialog: renderDialog, ...button }: DialogButtonProps) {
  const { show, dialog } = useDialog(renderDialog);
  return (
    <>
      <Button {...button} onClick={show} />
      {dialog}
    </>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** Label of the confirm button, which includes the name of the thing that the action affects. */
  readonly confirmText: string;
  readonly call: () => Promise<unknown>;
  /** Message shown after the call has succeeded. */
  readonly successMessage?: string | undefined;
  readonly onDone?: (() => void) | undefined;
  /** Describes the consequences of the call. */
  readonly children: ComponentChildren;
}

/** A dialog that asks for confirmation before it performs an action that can't be undone. */
export function ConfirmDialog({
  title,
  confirmText,
  call,
  successMessage,
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
    if (successMessage !== undefined) showToast(successMessage);
    onDone?.();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <div class="actions">
        <Button text={words.keep} onClick={onClose} />
        <Button kind="danger" disabled={isBusy} text={confirmText} onClick={() => void confirm()} />
      </div>
    </Dialog>
  );
}

interface ConfirmButtonProps extends Omit<ButtonProps, "onClick" | "children">, ConfirmProps {
  /** The button's label. */
  readonly text: string;
}

export function ConfirmButton({
  title,
  confirmText,
  call,
  successMessage,
  onDone,
  children,
  ...button
}: ConfirmButtonProps) {
  const confirmProps = { title, confirmText, call, successMessage, onDone };
  return (
    <DialogButton
      {...button}
      dialog={(close) => (
        <ConfirmDialog {...confirmProps} onClose={close}>
          {children}
        </ConfirmDialog>
      )}
    />
  );
}
