import { type Scope, scopes, scopeWords } from "../../../../src/scopes.js";
import { may } from "../app/session.js";
import { Button } from "../parts/button.js";

interface ScopeChoiceProps {
  readonly legend: string;
  readonly chosen: ReadonlySet<Scope>;
  readonly error?: string | undefined;
  readonly onChange: (chosen: ReadonlySet<Scope>) => void;
}

/** Scopes to tick off, of those that whoever is signed in has. */
export function ScopeChoice({ legend, chosen, error, onChange }: ScopeChoiceProps) {
  const grantable = scopes.filter((scope) => may(scope));
  const isAll = chosen.size === grantable.length;
  const toggle = (scope: Scope) => {
    const next = new Set(chosen);
    if (!next.delete(scope)) next.add(scope);
    onChange(next);
  };
  return (
    <>
      <fieldset class="scopes">
        <legend class="label">{legend}</legend>
        {grantable.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} />
            <span>
              <code>{scope}</code>
              <br />
              <span class="hint">{scopeWords[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="row">
        <Button kind="plain" onClick={() => onChange(new Set(isAll ? [] : grantable))}>
          {isAll ? "Nothing" : "Everything"}
        </Button>
        {error !== undefined && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
    </>
  );
}
