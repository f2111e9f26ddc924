import type { UserTag } from "../../../../src/resources/tag.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Check } from "../parts/field.js";
import { type ChosenColumns, columnKinds, seenColumns } from "./columns.js";
import { MOST_TAGS } from "./page-facts.js";

interface ColumnChooserProps {
  readonly chosen: ChosenColumns;
  readonly tags: readonly UserTag[];
  readonly onChange: (chosen: ChosenColumns) => void;
  readonly onClose: () => void;
}

/** Chooses the columns of the list, for this browser. */
export function ColumnChooser({ chosen, tags, onChange, onClose }: ColumnChooserProps) {
  const { names } = chosen;
  const shownTags = shownTagsOf(chosen, tags);
  const isFull = shownTags.length >= MOST_TAGS;
  return (
    <Dialog title="Columns" onClose={onClose}>
      <fieldset class="plain stack tight">
        <legend class="label">Beside the name</legend>
        {seenColumns.map((name) => (
          <Check
            key={name}
            isChecked={names.includes(name)}
            onChange={(isOn) =>
              onChange({ ...chosen, names: isOn ? [...names, name] : names.filter((each) => each !== name) })
            }
          >
            {columnKinds[name].text}
          </Check>
        ))}
      </fieldset>
      {names.includes("tags") && tags.length > 0 && (
        <fieldset class="plain stack tight">
          <legend class="label">Tags that are looked for, {MOST_TAGS} at most</legend>
          <div class="tag-choices">
            {tags.map(({ slug, name }) => {
              const isOn = shownTags.some((tag) => tag.slug === slug);
              if (isFull && !isOn) return null;
              return (
                <Check
                  key={slug}
                  isChecked={isOn}
                  onChange={() =>
                    onChange({
                      ...chosen,
                      tags: isOn
                        ? shownTags.map((tag) => tag.slug).filter((each) => each !== slug)
                        : [...shownTags.map((tag) => tag.slug), slug],
                    })
                  }
                >
                  <bdi>{name}</bdi>
                </Check>
              );
            })}
          </div>
          {isFull && tags.length > MOST_TAGS && <p class="hint">Take one off to choose another.</p>}
        </fieldset>
      )}
      <p class="hint">This browser keeps them.</p>
      <div class="actions">
        <Button text="Done" kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}

/** The tags that the column of tags shows: those that were chosen and are there, or the oldest. */
export function shownTagsOf({ tags: chosen }: ChosenColumns, tags: readonly UserTag[]): readonly UserTag[] {
  const shown = chosen === null ? tags : tags.filter(({ slug }) => chosen.includes(slug));
  return shown.slice(0, MOST_TAGS);
}
