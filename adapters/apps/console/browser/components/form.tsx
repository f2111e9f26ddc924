import { type ComponentChildren, Fragment, type VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type CallError, requireCallError } from "../api/call-error.js";
import { app } from "../words/en/app.js";
import { parts as words } from "../words/en/parts.js";
import { Button } from "./button.js";
import type { Choices } from "./choices.js";
import { Dialog } from "./dialog.js";
import { ErrorText } from "./feedback.js";
import { Check, Field, Select, type TextAttributes, TextField } from "./field.js";
import { findFieldMessage, fromEntries } from "./form-record.js";

/** Attributes of a form control. */
interface Attributes extends TextAttributes {
  readonly hint?: string;
}

interface ControlProps<Value> {
  readonly value: Value;
  readonly error: string | undefined;
  readonly attributes: Attributes;
  onChange(value: Value): void;
}

/** A form field: its initial value, its control, and the conversions to and from the API's values. */
export interface FormField<Value, Sent> {
  /** The control's initial value when the form creates a new resource. */
  readonly initial: Value;
  /** Converts a saved value to the value that the control edits. */
  format(saved: Sent): Value;
  /** Converts the value that the control edits to the value that is sent to the API. */
  parse(value: Value): Sent;
  control(props: ControlProps<Value>): VNode;
}

/** Form fields in display order, keyed by their names in the API. */
type Fields = Readonly<Record<string, FormField<unknown, unknown>>>;

type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: F[Name]["initial"] };
type SentOf<F extends Fields> = { readonly [Name in keyof F]: ReturnType<F[Name]["parse"]> };
type SavedOf<F extends Fields> = { readonly [Name in keyof F]?: SentOf<F>[Name] | null };

/** Creates a text field whose input is parsed into another value before it is sent. */
export function createParsedTextField<Sent>(
  label: string,
  parse: (input: string) => Sent,
  { hint, ...fieldAttributes }: Attributes = {},
  initial = "",
): FormField<string, Sent> {
  return {
    initial,
    parse,
    format: String,
    control: ({ value, error, onChange, attributes }) => (
      <TextField
        label={label}
        hint={hint}
        error={error}
        {...fieldAttributes}
        {...attributes}
        value={value}
        onText={onChange}
      />
    ),
  };
}

/** Creates a text field that is required by default. The text is sent without leading and trailing whitespace. */
export const createTextField = (label: string, attributes?: Attributes) =>
  createParsedTextField(label, (input) => input.trim(), { required: true, ...attributes });

/** Creates an optional text field. The text is sent as typed, or as `null` if it is blank. */
export const createOptionalTextField = (label: string, attributes?: Attributes) =>
  createParsedTextField(label, (input): string | null => (input.trim() === "" ? null : input), attributes);

export const createNumberField = (label: string, initial: number, attributes?: Attributes) =>
  createParsedTextField(
    label,
    Number,
    { type: "number", inputMode: "numeric", ...attributes },
    String(initial),
  );

/** Creates a select field. The first choice is selected initially. */
export function createSelectField<Value extends string>(
  label: string,
  choices: readonly [Choices<Value>[number], ...Choices<Value>],
): FormField<Value, Value> {
  return {
    initial: choices[0][0],
    parse: (value) => value,
    format: (savedValue) => savedValue,
    control: ({ value, error, onChange }) => (
      <Field label={label} error={error}>
        <Select value={value} choices={choices} onChoose={onChange} />
      </Field>
    ),
  };
}

/** Creates a checkbox field that is unchecked initially. */
export function createCheckboxField(label: string, hint?: string): FormField<boolean, boolean> {
  return {
    initial: false,
    parse: (isChecked) => isChecked,
    format: (savedValue) => savedValue,
    control: ({ value, onChange }) => (
      <Check isChecked={value} hint={hint} onChange={onChange}>
        {label}
      </Check>
    ),
  };
}

/** The state of a save operation, including any error from the last attempt. */
export interface SaveState {
  readonly isBusy: boolean;
  readonly error: CallError | null;
  /** Runs `write`. If an API call fails, stores the error in `error` and resolves. Rejects with any other error. */
  readonly save: (write: () => Promise<void>) => Promise<void>;
}

export function useSave(): SaveState {
  const [error, setError] = useState<CallError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async (write: () => Promise<void>) => {
    setBusy(true);
    try {
      await write();
      setError(null);
    } catch (thrown) {
      setError(requireCallError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, save };
}

export interface Form<F extends Fields> {
  readonly values: ValuesOf<F>;
  /** Whether the values differ from those that the form began with. */
  readonly isDirty: boolean;
  readonly isBusy: boolean;
  readonly submit: (event: SubmitEvent) => void;
  /**
   * Renders the controls of all fields except the hidden ones.
   * @param attributes additional attributes for text fields, keyed by field name.
   */
  readonly controls: (
    hidden: readonly string[],
    attributes?: Readonly<Record<string, Attributes>>,
  ) => readonly VNode[];
  /** Returns the form's error message, or `null` if there is no error or a visible field already shows one. */
  readonly getFormMessage: (hidden: readonly string[]) => string | null;
}

interface FormOptions<F extends Fields> {
  /** The resource to edit. To create a new one, pass `null` or omit it. */
  readonly saved?: SavedOf<F> | null;
  /**
   * Sends the form's values. If it throws a {@link CallError}, the error's messages appear next to the fields, and the user's input
   * is kept.
   */
  readonly send: (parsedValues: SentOf<F>) => Promise<void>;
}

/** Manages a form's values and the errors that the API returns for its fields. */
export function useForm<F extends Fields>(fields: F, { saved, send }: FormOptions<F>): Form<F> {
  const entries = Object.entries(fields);
  const [initialValues] = useState<ValuesOf<F>>(() =>
    fromEntries(
      entries.map(([name, { initial, format }]) => {
        const value = saved?.[name] ?? null;
        return [name, value === null ? initial : format(value)];
      }),
    ),
  );
  const [values, setValues] = useState(initialValues);
  const { isBusy, error, save } = useSave();
  /** Names of the fields that were changed since the last attempt. Their errors are no longer shown. */
  const [changed, setChanged] = useState<readonly string[]>([]);
  const findError = (name: string) => findFieldMessage(name, error?.fields ?? {});
  const listVisible = (hidden: readonly string[]) => entries.filter(([name]) => !hidden.includes(name));
  return {
    values,
    isDirty: entries.some(([name]) => values[name] !== initialValues[name]),
    isBusy,
    submit: (event) => {
      event.preventDefault();
      const parsedEntries = entries.map(([name, { parse }]) => [name, parse(values[name])] as const);
      void save(() => send(fromEntries(parsedEntries))).finally(() => setChanged([]));
    },
    controls: (hidden, attributes = {}) =>
      listVisible(hidden).map(([name, { control }]) => (
        <Fragment key={name}>
          {control({
            value: values[name],
            error: changed.includes(name) ? undefined : findError(name),
            attributes: attributes[name] ?? {},
            onChange: (value) => {
              setValues((previous) => ({ ...previous, [name]: value }));
              setChanged((previous) => (previous.includes(name) ? previous : [...previous, name]));
            },
          })}
        </Fragment>
      )),
    getFormMessage: (hidden) =>
      error === null || listVisible(hidden).some(([name]) => findError(name) !== undefined)
        ? null
        : error.message,
  };
}

interface FormDialogProps {
  readonly title: string;
  readonly submitText: string;
  readonly form: Pick<Form<Fields>, "isDirty" | "isBusy" | "submit" | "controls" | "getFormMessage">;
  /** Names of the fields that aren't shown. */
  readonly hidden?: readonly string[];
  readonly isWide?: boolean;
  readonly onClose: () => void;
  /** The dialog's content. Default: all controls, stacked vertically. */
  readonly children?: ComponentChildren;
}

/**
 * A dialog with a form. Errors that aren't shown next to a field appear above the buttons. Before the user closes a dialog with
 * changes in it, its buttons ask for confirmation.
 */
export function FormDialog({
  title,
  submitText,
  form,
  hidden = [],
  isWide,
  onClose,
  children,
}: FormDialogProps) {
  const [isAsking, setAsking] = useState(false);
  const buttons = useRef<HTMLDivElement>(null);
  // On a phone, the back gesture closes a dialog, whose buttons may be below the edge of the screen.
  useLayoutEffect(() => {
    if (isAsking) buttons.current?.scrollIntoView({ block: "end" });
  }, [isAsking]);
  const message = form.getFormMessage(hidden);
  const close = () => (form.isDirty ? setAsking(true) : onClose());
  return (
    <Dialog title={title} isWide={isWide} onClose={close} onSubmit={form.submit}>
      {children ?? form.controls(hidden)}
      {message !== null && <ErrorText>{message}</ErrorText>}
      {isAsking && <ErrorText>{app.changesNotSaved}</ErrorText>}
      <div class="actions" ref={buttons}>
        <Button
          text={isAsking ? app.stay : words.cancel}
          onClick={isAsking ? () => setAsking(false) : close}
        />
        {isAsking ? (
          <Button text={app.leaveWithoutSaving} kind="danger" onClick={onClose} />
        ) : (
          <Button text={submitText} kind="primary" type="submit" disabled={form.isBusy} />
        )}
      </div>
    </Dialog>
  );
}
