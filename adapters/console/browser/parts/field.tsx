import { cloneElement, type VNode } from "preact";
import { useEffect, useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  /** One input, select or textarea. */
  readonly children: VNode<Record<string, unknown>>;
}

/** A control with its label, and what is wrong with its value, which stays as typed. */
export function Field({ label, hint = "", error = "", children }: FieldProps) {
  const id = useId();
  // What is wrong may be out of sight above the button: the first such field of a form gets the focus.
  useEffect(() => {
    const control = document.getElementById(id);
    const first = control?.closest("form")?.querySelector('[aria-invalid="true"]');
    if (error !== "" && control !== null && control === first) control.focus();
  }, [id, error]);
  const about = [hint !== "" && `${id}-hint`, error !== "" && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, {
        id,
        ...(about !== "" && { "aria-describedby": about }),
        ...(error !== "" && { "aria-invalid": "true" }),
      })}
      {hint !== "" && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== "" && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
