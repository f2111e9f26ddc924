import type { ComponentChildren } from "preact";
import type { Scope } from "../../../../src/scopes.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { settings as words } from "../words/en/settings.js";

interface SaveRowProps {
  /** The scope required to change the form's settings. */
  readonly scope: Scope;
  readonly isBusy: boolean;
  /** Additional buttons. */
  readonly children?: ComponentChildren;
}

/** The bottom of a settings form: the save button, or a note that the user may only view the settings. */
export function SaveRow({ scope, isBusy, children }: SaveRowProps) {
  if (!hasScopes(scope)) return <p class="quiet">{words.mayOnlyLook}</p>;
  return (
    <div class="row">
      <Button text={words.save} kind="primary" type="submit" disabled={isBusy} />
      {children}
    </div>
  );
}
