import type { LeafName } from "../../../../../src/segments/leaf-schema.js";
import { Dialog, DialogButton } from "../components/dialog.js";
import { builder, kindWords, sections } from "../words/en/segment-builder.js";
import type { FilterOptions } from "./filter-options.js";

interface AddConditionProps {
  readonly lists: FilterOptions;
  readonly onAdd: (name: LeafName) => void;
}

/** A button that opens a dialog with the kinds of conditions. Choosing a kind adds a condition of that kind to the filter. */
export function AddCondition({ lists, onAdd }: AddConditionProps) {
  const offered = sections
    .map(([heading, names]) => [heading, names.filter((name) => lists.kinds.includes(name))] as const)
    .filter(([, names]) => names.length > 0);
  return (
    <DialogButton
      class="add-condition"
      icon="plus"
      text={builder.add}
      dialog={(close) => (
        <Dialog title={builder.add} isWide onClose={close}>
          {offered.map(([heading, names]) => (
            <section key={heading} class="stack tight" aria-label={heading}>
              <h3 class="quiet">{heading}</h3>
              <div class="kinds">
                {names.map((name) => (
                  <button
                    key={name}
                    type="button"
                    class="button kind"
                    onClick={() => {
                      close();
                      onAdd(name);
                    }}
                  >
                    <span>{kindWords[name][0]}</span> <span class="hint">{kindWords[name][1]}</span>
                  </button>
                ))}
              </div>
            </section>
          ))}
        </Dialog>
      )}
    />
  );
}
