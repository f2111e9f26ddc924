import { useState } from "preact/hooks";
import { parts as words } from "../words/en/parts.js";
import { runWithToast } from "./toasts.js";

interface SwitchProps {
  readonly isOn: boolean;
  /** ID of the element that labels the switch. */
  readonly labelledBy: string;
  /** Changes the setting. If the promise rejects, the error is shown and the switch keeps its state. */
  readonly onSwitch: (isOn: boolean) => Promise<unknown>;
}

/** A toggle switch for a setting that takes effect as soon as it is toggled. */
export function Switch({ isOn, labelledBy, onSwitch }: SwitchProps) {
  const [isBusy, setBusy] = useState(false);
  const toggle = async () => {
    if (isBusy) return;
    setBusy(true);
    await runWithToast(() => onSwitch(!isOn));
    setBusy(false);
  };
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-labelledby={labelledBy}
      aria-busy={isBusy}
      onClick={() => void toggle()}
    >
      <span class="track" aria-hidden="true" />
      <span class="state" aria-hidden="true">
        {isOn ? words.on : words.off}
      </span>
    </button>
  );
}
