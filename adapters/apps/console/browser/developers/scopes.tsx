import { useId } from "preact/hooks";
import { type Scope, scopes } from "../../../../../src/base/scopes.js";
import { hasScopes } from "../api/session.js";
import { createChecklistField } from "../components/checklist.js";
import type { FormField } from "../components/form.js";
import { scopeWords, scopes as words } from "../words/en/tokens.js";
import { findPreset, pickPresetScopes, tokenPresets } from "./token-presets.js";

const grantedScopes = scopes.filter((scope) => hasScopes(scope));

/** The presets that the user may grant, with their scopes. */
const presets = tokenPresets.flatMap((preset) => {
  const allowedScopes = pickPresetScopes(preset, grantedScopes);
  return allowedScopes === null ? [] : [{ ...preset, allowedScopes }];
});

type ScopesField = FormField<readonly Scope[], readonly Scope[]>;

/** Creates a form field for choosing from the user's own scopes, either by preset or individually. */
export function createScopesField(legend: string): ScopesField {
  const list = createChecklistField(words.title, grantedScopes, { hints: scopeWords });
  return {
    ...list,
    control: ({ error, ...props }) => (
      <PresetControl
        legend={legend}
        selected={props.value}
        error={error}
        onChoose={props.onChange}
        list={list.control({ ...props, error: undefined })}
      />
    ),
  };
}

interface PresetControlProps {
  readonly legend: string;
  readonly selected: readonly Scope[];
  readonly error: string | undefined;
  readonly onChoose: (selected: readonly Scope[]) => void;
  /** The checklist of individual scopes. */
  readonly list: ReturnType<ScopesField["control"]>;
}

function PresetControl({ legend, selected, error, onChoose, list }: PresetControlProps) {
  const name = useId();
  const current = findPreset(selected, grantedScopes);
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
              onChange={() => onChoose(preset.allowedScopes)}
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
          {selected.length > 0 && current === null
            ? words.behindOneByOne(selected.length)
            : words.behind(selected.length)}
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

/** Describes a set of scopes by its scope count and, if the set matches a preset, by the preset's name. */
export function describeScopes(scopeList: readonly Scope[]): string {
  const preset = findPreset(scopeList, scopes);
  return preset === null ? words.count(scopeList.length) : words.ofPreset(preset.text, scopeList.length);
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
