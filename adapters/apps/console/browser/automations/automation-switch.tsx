import type { Automation } from "../../../../../src/automations/schema.js";
import { api } from "../api/calls.js";
import { Switch } from "../components/switch.js";
import { showToast } from "../components/toasts.js";
import { automations as words } from "../words/en/automations.js";

interface AutomationSwitchProps {
  readonly automation: Automation;
  /** The ID of the element that contains the automation's name, for the switch's accessible label. */
  readonly labelledBy: string;
  readonly onChanged: (automation: Automation) => void;
}

export function AutomationSwitch({ automation, labelledBy, onChanged }: AutomationSwitchProps) {
  const { id, isEnabled } = automation;
  const change = async (isOn: boolean) => {
    const changed = await api.automations.update(id, { isEnabled: isOn });
    showToast(changed.isEnabled ? words.wasOn(changed.name) : words.wasOff(changed.name));
    onChanged(changed);
  };
  return <Switch isOn={isEnabled} labelledBy={labelledBy} onSwitch={change} />;
}
