import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Switch } from "../parts/switch.js";
import type { TillChoices } from "./till-choices.js";

const rows = [
  ["isEveryScanAStamp", "Every scan is one stamp", "Nothing has to be pressed between two customers."],
  ["isLeftHanded", "For the left hand", "The main buttons are at the left."],
  ["hasSound", "Sound", "A tone says whether it went well."],
  ["hasVibration", "Vibration", "The same for the hand, where the device can."],
] as const;

interface TillSettingsProps {
  readonly choices: TillChoices;
  readonly onChoose: (change: Partial<TillChoices>) => void;
  readonly onClose: () => void;
}

/** How this till works. It stays so on this device. */
export function TillSettings({ choices, onChoose, onClose }: TillSettingsProps) {
  return (
    <Dialog title="This till" onClose={onClose}>
      <ul class="till-settings">
        {rows.map(([name, text, hint]) => (
          <li key={name}>
            <span class="grow">
              <strong id={`till-${name}`}>{text}</strong>
              <span class="hint">{hint}</span>
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
        <Button text="Done" kind="primary" class="big" onClick={onClose} />
      </div>
    </Dialog>
  );
}
