import { useState } from "preact/hooks";
import type { UserTag } from "../../../../src/resources/tag.js";
import { api } from "../api/calls.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Select } from "../parts/field.js";
import { attempt, tell } from "../parts/toasts.js";
import { counted } from "../words/en/forms.js";

interface MergeTagProps {
  readonly tag: UserTag;
  readonly others: readonly UserTag[];
  /** How many have it; `null` where that is not known yet. */
  readonly holders: number | null;
  readonly onClose: () => void;
  readonly onMerged: () => void;
}

/** Gives whoever has a tag another one, and deletes the first, which is one change of the interface. */
export function MergeTag({ tag, others, holders, onClose, onMerged }: MergeTagProps) {
  const [into, setInto] = useState(others[0]?.slug ?? "");
  const [isBusy, setBusy] = useState(false);
  const name = others.find(({ slug }) => slug === into)?.name ?? "";
  const merge = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    const isDone = await attempt(async () => {
      const { changed, unchanged } = await api.tags.merge(tag.slug, { into });
      const before = unchanged === 0 ? "" : `, ${counted(unchanged, "customer")} had it before`;
      tell(`${counted(changed, "customer")} got “${name}”${before}`);
    });
    setBusy(false);
    if (!isDone) return;
    onClose();
    onMerged();
  };
  return (
    <Dialog title={`Merge “${tag.name}” into another tag`} onClose={onClose} onSubmit={merge}>
      <Field label="Into">
        <Select
          value={into}
          choices={others.map(({ slug, name }) => [slug, name] as const)}
          onChoose={setInto}
        />
      </Field>
      <p>
        {holders === null ? "Whoever has" : counted(holders, "customer", "customers")}
        {holders === null ? "" : holders === 1 ? " has" : " have"} “{tag.name}” and will have “{name}”. Then “
        {tag.name}” is deleted, and segments that ask for it find nobody by it. This can’t be undone.
      </p>
      <p class="hint">
        It happens as a whole or not at all. If the connection is lost meanwhile, look whether “{tag.name}” is
        still there, and merge it again if it is.
      </p>
      <div class="actions">
        <Button text="Keep both" onClick={onClose} />
        <Button text={`Merge into “${name}”`} kind="primary" type="submit" disabled={isBusy} />
      </div>
    </Dialog>
  );
}
