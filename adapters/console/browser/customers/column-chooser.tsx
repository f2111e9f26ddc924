import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Check } from "../parts/field.js";
import { type ColumnName, columnKinds, seenColumns } from "./columns.js";

interface ColumnChooserProps {
  readonly chosen: readonly ColumnName[];
  readonly onChange: (chosen: readonly ColumnName[]) => void;
  readonly onClose: () => void;
}

/** Chooses the columns of the list, for this browser. */
export function ColumnChooser({ chosen, onChange, onClose }: ColumnChooserProps) {
  return (
    <Dialog title="Columns" onClose={onClose}>
      <fieldset class="plain stack tight">
        <legend class="label">Beside the name</legend>
        {seenColumns.map((name) => (
          <Check
            key={name}
            isChecked={chosen.includes(name)}
            onChange={(isOn) => onChange(isOn ? [...chosen, name] : chosen.filter((each) => each !== name))}
          >
            {columnKinds[name].text}
          </Check>
        ))}
      </fieldset>
      <p class="hint">This browser keeps them.</p>
      <div class="actions">
        <Button text="Done" kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}
