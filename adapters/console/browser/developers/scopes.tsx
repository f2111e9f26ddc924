import { type Scope, scopes, scopeWords } from "../../../../src/scopes.js";
import { may } from "../api/session.js";
import { checklist } from "../parts/form.js";

/** Scopes to choose, of those that whoever is signed in has. */
export const scopesField = (legend: string) =>
  checklist(
    legend,
    scopes.filter((scope) => may(scope)),
    { hints: scopeWords, hasAll: true },
  );

/** Scopes that were granted. */
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
