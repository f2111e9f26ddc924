import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Switch } from "../components/switch.js";
import { till as words } from "../words/en/till.js";
import type { TillPreferences } from "./till-preferences.js";

const names = ["isEveryScanAStamp", "isLeftHanded", "hasSound", "hasVibration"] as const;

interface TillSettingsProps {
  readonly choices: TillPreferences;
  readonly onChoose: (change: Partial<TillPreferences>) => void;
  readonly onClose: () => void;
}

/** A dialog for editing this till's preferences. The preferences are stored on this device and don't affect other tills. */
export function TillSettings({ choices, onChoose, onClose }: TillSettingsProps) {
  return (
    <Dialog title={words.thisTill} onClose={onClose}>
      <ul class="till-settings">
        {names.map((name) => (
          <li key={name}>
            <span class="grow">
              <strong id={`till-${name}`}>{words.choices[name][0]}</strong>
              <span class="hint">{words.choices[name][1]}</span>
            </span>
            <Switch
              isOn={choices[name]}
              labelledBy={`till-${name}`}
              onSwitch={async (isOn) => onChoose({ [name]: isOn })}
            />
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button text={words.done} kind="primary" class="big" onClick={onClose} />
      </div>
    </Dialog>
  );
}
