import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../components/button.js";
import { Icon } from "../components/icons.js";
import { builder, kindWords, unfinished } from "../words/en/segment-builder.js";
import { labels } from "../words/en/segment-conditions.js";
import type { Count } from "./filter-counts.js";
import type { FilterOptions } from "./filter-options.js";
import type { Leaf } from "./filter-tree.js";
import { LeafControl } from "./leaf-control.js";
import { type ControlValues, findIncompleteControl, type LeafKind, visibleControls } from "./leaf-kind.js";
import { leafKinds } from "./leaf-kinds.js";
import { MatchCount } from "./match-count.js";

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
  const { name, values, written } = leaf;
  const row = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => {
    if (isNew) row.current?.querySelector<HTMLElement>("select, input")?.focus();
  }, []);
  const kind = name === null ? null : leafKinds[name];
  const title = name === null ? labels.other : kindWords[name][0];
  const missing = kind === null ? undefined : findIncompleteControl(kind, values);
  const wrong = missing === undefined ? describeRefusal(kind, count) : unfinished[missing.type];
  return (
    <fieldset ref={row} class={`leaf ${wrong === "" ? "" : "wrong"}`} aria-label={title}>
      <div class="leaf-head">
        <span class="label grow">{title}</span>
        <MatchCount count={count} isUnfinished={missing !== undefined} />
        <Button kind="plain" label={builder.remove(title)} onClick={onRemove}>
          <Icon name="close" />
        </Button>
      </div>
      <div class="leaf-controls">
        {kind === null && <code class="quiet">{JSON.stringify(written)}</code>}
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
      {wrong !== "" && (
        <p class="field-error" role="alert">
          {wrong}
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
  const [place, message] = Object.entries(count.fields)[0] ?? [];
  if (place === undefined || message === undefined) return count.message;
  const control = kind?.controls.find(({ name }) => place.endsWith(`.${name}`));
  return control === undefined ? message : `${control.label}: ${message}`;
}
