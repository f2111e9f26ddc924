import type { ComponentChildren } from "preact";
import type { Scope } from "../../../../../src/base/scopes.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { settings as words } from "../words/en/settings.js";

interface SaveRowProps {
  /** The scope that is required to change the settings in the form. */
  readonly scope: Scope;
  readonly isBusy: boolean;
  /** More buttons to show next to the save button. */
  readonly children?: ComponentChildren;
}

/** The bottom row of a settings form. Contains the save button, or a note if the user is only allowed to view the settings. */
export function SaveRow({ scope, isBusy, children }: SaveRowProps) {
  if (!hasScopes(scope)) return <p class="quiet">{words.mayOnlyLook}</p>;
  return (
    <div class="row">
      <Button text={isBusy ? words.saving : words.save} kind="primary" type="submit" disabled={isBusy} />
      {children}
    </div>
  );
}
