import type { ComponentChildren } from "preact";
import type { Scope } from "../../../../src/scopes.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { settings as words } from "../words/en/settings.js";

interface SaveRowProps {
  /** The scope that it takes to change what the form has. */
  readonly scope: Scope;
  readonly isBusy: boolean;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

/** The end of a form of settings: its button, or what it takes to have one. */
export function SaveRow({ scope, isBusy, children }: SaveRowProps) {
  if (!hasScopes(scope)) return <p class="quiet">{words.mayOnlyLook}</p>;
  return (
    <div class="row">
      <Button text={words.save} kind="primary" type="submit" disabled={isBusy} />
      {children}
    </div>
  );
}
