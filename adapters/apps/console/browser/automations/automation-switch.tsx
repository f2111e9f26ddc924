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
    const updatedAutomation = await api.automations.update(id, { isEnabled: isOn });
    showToast(
      updatedAutomation.isEnabled
        ? words.wasOn(updatedAutomation.name)
        : words.wasOff(updatedAutomation.name),
    );
    onChanged(updatedAutomation);
  };
  return <Switch isOn={isEnabled} labelledBy={labelledBy} onSwitch={change} />;
}
