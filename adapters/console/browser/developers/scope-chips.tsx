import type { Scope } from "../../../../src/scopes.js";

/** Scopes that somebody has. */
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
