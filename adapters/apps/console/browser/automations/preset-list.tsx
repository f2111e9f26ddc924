import { useState } from "preact/hooks";
import type { Automation } from "../../../../../src/automations/schema.js";
import { hasScopes } from "../api/session.js";
import { showToast } from "../components/toasts.js";
import { ready, readyWords } from "../words/en/ready-automations.js";
import type { AutomationSetup } from "./automation-setup.js";
import { PresetDialog } from "./preset-dialog.js";
import type { PresetKind } from "./preset-kind.js";
import { matchesPreset, presetKinds } from "./presets.js";

interface ReadyListProps {
  readonly automations: readonly Automation[];
  readonly setup: AutomationSetup;
  readonly onMade: () => void;
}

/**
 * Lists the automation presets that the user is allowed to create, each with a button that opens its form. Renders nothing if there
 * are none.
 */
export function PresetList({ automations, setup, onMade }: ReadyListProps) {
  const [chosen, setChosen] = useState<PresetKind | null>(null);
  const offered = presetKinds.filter(([, scopes]) => hasScopes("message:send", ...scopes));
  if (offered.length === 0) return null;
  return (
    <section class="stack tight" aria-label={ready.title}>
      <h2>{ready.title}</h2>
      <p class="quiet">{ready.hint}</p>
      <ul class="ready">
        {offered.map(([kind]) => (
          <li key={kind}>
            <button type="button" class="button kind" onClick={() => setChosen(kind)}>
              <span>{readyWords[kind][0]}</span> <span class="hint">{readyWords[kind][1]}</span>
              <There name={automations.find((automation) => matchesPreset(kind, automation))?.name} />
            </button>
          </li>
        ))}
      </ul>
      {chosen !== null && (
        <PresetDialog
          kind={chosen}
          setup={setup}
          onClose={() => setChosen(null)}
          onMade={({ name }) => {
            setChosen(null);
            showToast(ready.made(name));
            onMade();
          }}
        />
      )}
    </section>
  );
}

/** Notes that an automation of this kind already exists. */
function There({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <span class="hint there">
      <bdi>{ready.there(name)}</bdi>
    </span>
  );
}
