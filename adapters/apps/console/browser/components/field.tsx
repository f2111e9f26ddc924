import { type ComponentChildren, cloneElement, createElement, type VNode } from "preact";
import { useEffect, useId } from "preact/hooks";
import { parts as words } from "../words/en/parts.js";
import type { Choices } from "./choices.js";

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** True to mark the field as required. */
  readonly isRequired?: boolean | undefined;
  /** Whether the control is part of a sentence. If so, only screen readers get the label, and an error message begins with it. */
  readonly isInline?: boolean | undefined;
  /** The control, which is a single input, select or textarea. */
  readonly children: VNode<Record<string, unknown>>;
}

/**
 * A control with a label, an optional hint, and an error message if its value is invalid. Invalid input is left as the user typed
 * it.
 */
export function Field({ label, hint = "", error = "", isRequired, isInline, children }: FieldProps) {
  const id = useId();
  // Focus the form's first invalid field, because it may be out of view.
  useEffect(() => {
    const control = document.getElementById(id);
    const firstInvalid = control?.closest("form")?.querySelector('[aria-invalid="true"]');
    if (error !== "" && control !== null && control === firstInvalid) control.focus();
  }, [id, error]);
  const descriptionIds = [hint !== "" && `${id}-hint`, error !== "" && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div class={isInline ? "field inline" : "field"}>
      <div class={isInline ? "unseen" : "label"}>
        <label for={id}>{label}</label>
        {/* Hidden from screen readers, which already announce that the control is required. */}
        {isRequired && <small aria-hidden>{words.required}</small>}
      </div>
      {cloneElement(children, {
        id,
        ...(descriptionIds !== "" && { "aria-describedby": descriptionIds }),
        ...(error !== "" && { "aria-invalid": "true" }),
      })}
      {hint !== "" && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== "" && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {isInline ? `${label}: ${error}` : error}
        </p>
      )}
    </div>
  );
}

/** Attributes of a text control. The control is a textarea if `rows` is set, or an input otherwise. */
export interface TextAttributes {
  readonly class?: string;
  readonly "aria-label"?: string;
  readonly inputMode?: "text" | "email" | "tel" | "url" | "numeric" | "decimal";
  readonly placeholder?: string;
  readonly spellcheck?: boolean;
  readonly onBlur?: () => void;
  readonly type?:
    | "text"
    | "search"
    | "password"
    | "number"
    | "date"
    | "time"
    | "datetime-local"
    | "color"
    | "range";
  readonly rows?: number;
  readonly list?: string;
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
}

interface TextValue {
  readonly value: string;
  readonly onText: (text: string) => void;
}

export function TextInput({ onText, ...attributes }: TextAttributes & TextValue) {
  const input: object = {
    ...attributes,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onText(currentTarget.value),
  };
  return createElement(attributes.rows === undefined ? "input" : "textarea", input);
}

/** A text input with its label, hint, and error message. Renders a `textarea` if `rows` is set. */
export function TextField({
  label,
  hint,
  error,
  isInline,
  ...input
}: Omit<FieldProps, "children"> & TextAttributes & TextValue) {
  return (
    <Field label={label} hint={hint} error={error} isRequired={input.required} isInline={isInline}>
      <TextInput {...input} />
    </Field>
  );
}

/** A labeled number input whose minimum is 0 by default. Phones show a numeric keyboard. */
export function CountField(props: Parameters<typeof TextField>[0]) {
  return <TextField type="number" inputMode="numeric" min={0} {...props} />;
}

export interface SelectProps<Value extends string> {
  readonly value: Value;
  readonly choices: Choices<Value>;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly "aria-label"?: string;
  readonly onChoose: (value: Value) => void;
}

/** A select control that always shows `value`, even immediately after the user chooses another option. */
export function Select<Value extends string>({ value, choices, onChoose, ...rest }: SelectProps<Value>) {
  return (
    <select
      {...rest}
      value={value}
      onChange={({ currentTarget }) => {
        const choice = choices.find(([each]) => each === currentTarget.value);
        currentTarget.value = value;
        if (choice !== undefined) onChoose(choice[0]);
      }}
    >
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** Converts objects to select options. Each object's ID becomes the option's value, and its name becomes the label. */
export const toChoices = (resources: readonly { readonly id: string; readonly name: string }[]) =>
  resources.map(({ id, name }) => [id, name] as const);

interface CheckProps {
  readonly isChecked: boolean;
  readonly hint?: string | undefined;
  readonly children: ComponentChildren;
  readonly onChange: (isChecked: boolean) => void;
}

export function Check({ isChecked, hint, children, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={() => onChange(!isChecked)} />
      <span>
        {children}
        {hint !== undefined && (
          <>
            <br />
            <span class="hint">{hint}</span>
          </>
        )}
      </span>
    </label>
  );
}
