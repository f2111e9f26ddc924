import { useId } from "preact/hooks";
import { type Scope, scopes } from "../../../../../src/base/scopes.js";
import { hasScopes } from "../api/session.js";
import { createChecklistField } from "../components/checklist.js";
import type { FormField } from "../components/form.js";
import { scopeWords, scopes as words } from "../words/en/tokens.js";
import { findPreset, pickPresetScopes, tokenPresets } from "./token-presets.js";

const granted = scopes.filter((scope) => hasScopes(scope));

/** The presets that the user may grant, with their scopes. */
const presets = tokenPresets.flatMap((preset) => {
  const chosen = pickPresetScopes(preset, granted);
  return chosen === null ? [] : [{ ...preset, chosen }];
});

type ScopesField = FormField<readonly Scope[], readonly Scope[]>;

/** A form field for choosing among the user's own scopes, either by preset or one by one. */
export function scopesField(legend: string): ScopesField {
  const list = createChecklistField(words.title, granted, { hints: scopeWords });
  return {
    ...list,
    control: ({ error, ...props }) => (
      <PresetControl
        legend={legend}
        chosen={props.value}
        error={error}
        onChoose={props.onChange}
        list={list.control({ ...props, error: undefined })}
      />
    ),
  };
}

interface PresetControlProps {
  readonly legend: string;
  readonly chosen: readonly Scope[];
  readonly error: string | undefined;
  readonly onChoose: (chosen: readonly Scope[]) => void;
  /** The checklist of individual scopes. */
  readonly list: ReturnType<ScopesField["control"]>;
}

function PresetControl({ legend, chosen, error, onChoose, list }: PresetControlProps) {
  const name = useId();
  const current = findPreset(chosen, granted);
  return (
    <>
      <fieldset class="scopes presets">
        <legend class="label">{legend}</legend>
        {presets.map((preset) => (
          <label key={preset.text} class="check">
            <input
              type="radio"
              name={name}
              checked={preset.text === current?.text}
              onChange={() => onChoose(preset.chosen)}
            />
            <span>
              {preset.text}
              <br />
              <span class="hint">{preset.words}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <details>
        <summary class="quiet">
          {chosen.length > 0 && current === null
            ? words.behindOneByOne(chosen.length)
            : words.behind(chosen.length)}
        </summary>
        {list}
      </details>
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}

/** Describes a set of scopes by its size and, if the set matches a preset, by the preset's name. */
export function scopesText(chosen: readonly Scope[]): string {
  const preset = findPreset(chosen, scopes);
  return preset === null ? words.count(chosen.length) : words.ofPreset(preset.text, chosen.length);
}

export function ScopeChips({ scopes }: { readonly scopes: readonly Scope[] }) {
  return (
    <p class="row">
      {scopes.map((scope) => (
        <code key={scope} class="chip">
          {scope}
        </code>
      ))}
    </p>
  );
}
