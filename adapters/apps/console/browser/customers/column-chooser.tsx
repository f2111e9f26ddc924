import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Check } from "../components/field.js";
import { customers as words } from "../words/en/customers.js";
import { type ColumnName, visibleColumns } from "./columns.js";

interface ColumnChooserProps {
  readonly chosen: readonly ColumnName[];
  readonly onChange: (chosen: readonly ColumnName[]) => void;
  readonly onClose: () => void;
}

/** Lets the user choose the customer list's columns. The choice is stored in this browser. */
export function ColumnChooser({ chosen, onChange, onClose }: ColumnChooserProps) {
  return (
    <Dialog title={words.columns.title} onClose={onClose}>
      <fieldset class="plain stack tight">
        <legend class="label">{words.columns.beside}</legend>
        {visibleColumns.map((name) => (
          <Check
            key={name}
            isChecked={chosen.includes(name)}
            onChange={(isOn) => onChange(isOn ? [...chosen, name] : chosen.filter((each) => each !== name))}
          >
            {words.columns[name]}
          </Check>
        ))}
      </fieldset>
      <p class="hint">{words.columns.kept}</p>
      <div class="actions">
        <Button text={words.columns.done} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}
