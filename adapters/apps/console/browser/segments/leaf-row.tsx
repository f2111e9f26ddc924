import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../components/button.js";
import type { Choices } from "../components/choices.js";
import { Select, TextInput, toChoices } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { builder, kindWords, unfinished } from "../words/en/segment-builder.js";
import { labels } from "../words/en/segment-conditions.js";
import type { Count } from "./filter-counts.js";
import type { FilterOptions } from "./filter-options.js";
import type { Leaf } from "./filter-tree.js";
import {
  type Control,
  type ControlValues,
  findIncompleteControl,
  type LeafKind,
  visibleControls,
} from "./leaf-kind.js";
import { leafKinds } from "./leaf-kinds.js";
import { MatchCount } from "./match-count.js";

const toSlugChoices = (things: readonly { readonly slug: string; readonly name: string }[]) =>
  things.map(({ slug, name }) => [slug, name] as const);

interface LeafRowProps {
  readonly leaf: Leaf;
  readonly lists: FilterOptions;
  readonly count: Count | undefined;
  /** Whether the condition was just added. If so, its first control receives focus. */
  readonly isNew: boolean;
  readonly onChange: (values: ControlValues) => void;
  readonly onRemove: () => void;
}

/**
 * An editor for one condition. Shows the condition's controls, how many customers match the condition on its own, and the API's
 * error message, if any.
 */
export function LeafRow({ leaf, lists, count, isNew, onChange, onRemove }: LeafRowProps) {
  const { name, values, condition } = leaf;
  const row = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => {
    if (isNew) row.current?.querySelector<HTMLElement>("select, input")?.focus();
  }, []);
  const kind = name === null ? null : leafKinds[name];
  const title = name === null ? labels.other : kindWords[name][0];
  const missing = kind === null ? undefined : findIncompleteControl(kind, values);
  const errorText = missing === undefined ? describeRefusal(kind, count) : unfinished[missing.type];
  return (
    <fieldset ref={row} class={`leaf ${errorText === "" ? "" : "wrong"}`} aria-label={title}>
      <div class="leaf-head">
        <span class="label grow">{title}</span>
        <MatchCount count={count} isUnfinished={missing !== undefined} />
        <Button kind="plain" label={builder.remove(title)} onClick={onRemove}>
          <Icon name="close" />
        </Button>
      </div>
      <div class="leaf-controls">
        {kind === null && <code class="quiet">{JSON.stringify(condition)}</code>}
        {kind !== null &&
          visibleControls(kind, values).map((control) => (
            <span key={control.name} class="leaf-part">
              <LeafControl
                control={control}
                value={values[control.name] ?? ""}
                lists={lists}
                onChange={(value) => onChange({ ...values, [control.name]: value })}
              />
              {control.after !== undefined && <span>{control.after(values)}</span>}
            </span>
          ))}
      </div>
      {errorText !== "" && (
        <p class="field-error" role="alert">
          {errorText}
        </p>
      )}
    </fieldset>
  );
}

/**
 * Returns the API's error message for a condition, prefixed with the label of the control that it affects, or an empty string if
 * there is no error.
 */
function describeRefusal(kind: LeafKind | null, count: Count | undefined): string {
  if (!(count instanceof Error)) return "";
  const [path, message] = Object.entries(count.fields)[0] ?? [];
  if (path === undefined || message === undefined) return count.message;
  const control = kind?.controls.find(({ name }) => path.endsWith(`.${name}`));
  return control === undefined ? message : `${control.label}: ${message}`;
}

interface LeafControlProps {
  readonly control: Control;
  readonly value: string;
  readonly lists: FilterOptions;
  readonly onChange: (value: string) => void;
}

/** Returns a control's choices, or `null` if the control is an input field. */
function listChoices(
  { type, choices }: Control,
  { tags, templates, segments }: FilterOptions,
): Choices<string> | null {
  if (type === "choice") return choices ?? [];
  if (type === "tag") return [["", labels.noTag], ...toSlugChoices(tags)];
  if (type === "segment") return [["", labels.noSegment], ...toSlugChoices(segments)];
  if (type === "anyCard") return [["", labels.anyCard], ...toChoices(templates)];
  if (type !== "card") return null;
  return [["", labels.noCard], ...toChoices(templates.filter((template) => template.type === "STAMP_CARD"))];
}

/**
 * Renders one of a condition's controls. If the chosen card, tag, or segment has been deleted, it stays selected until the user
 * chooses another.
 */
function LeafControl({ control, value, lists, onChange }: LeafControlProps) {
  const { type, label } = control;
  const choices = listChoices(control, lists);
  if (choices !== null) {
    const isDeleted = !choices.some(([each]) => each === value);
    return (
      <Select
        class="narrow"
        aria-label={label}
        value={value}
        choices={
          isDeleted
            ? [...choices, [value, type === "tag" || type === "segment" ? value : labels.gone]]
            : choices
        }
        onChoose={onChange}
      />
    );
  }
  if (type === "number" || type === "decimal") {
    return (
      <TextInput
        class="bound"
        type="number"
        inputMode={type === "number" ? "numeric" : "decimal"}
        {...(type === "number" && { min: 0 })}
        aria-label={label}
        value={value}
        onText={onChange}
      />
    );
  }
  const isDay = type === "date" && (value === "" || /^\d{4}-\d\d-\d\d$/.test(value));
  return (
    <TextInput
      class={isDay ? "day" : "short"}
      type={isDay ? "date" : "text"}
      aria-label={label}
      spellcheck={false}
      maxLength={200}
      {...(type === "key" && { placeholder: labels.keyHint })}
      value={value}
      onText={onChange}
    />
  );
}
