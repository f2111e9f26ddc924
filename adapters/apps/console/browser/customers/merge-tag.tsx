import { useState } from "preact/hooks";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { api } from "../api/calls.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Field, Select } from "../components/field.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { tags } from "../words/en/tags.js";

const words = tags.merging;

interface MergeTagProps {
  readonly tag: UserTag;
  readonly others: readonly UserTag[];
  /** Number of customers with the tag, or `null` if it hasn't been loaded yet. */
  readonly holders: number | null;
  readonly onClose: () => void;
  readonly onMerged: () => void;
}

/** A dialog that merges a tag into another tag of the user's choice. */
export function MergeTag({ tag, others, holders, onClose, onMerged }: MergeTagProps) {
  const [into, setInto] = useState(others[0]?.slug ?? "");
  const [isBusy, setBusy] = useState(false);
  const name = others.find(({ slug }) => slug === into)?.name ?? "";
  const merge = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    const isDone = await runWithToast(async () => {
      const { changed, unchanged } = await api.tags.merge(tag.slug, { into });
      const alreadyTagged = unchanged === 0 ? "" : `, ${words.hadBefore(unchanged)}`;
      showToast(`${words.merged(changed, name)}${alreadyTagged}`);
    });
    setBusy(false);
    if (!isDone) return;
    onClose();
    onMerged();
  };
  return (
    <Dialog title={words.title(tag.name)} onClose={onClose} onSubmit={merge}>
      <Field label={words.into}>
        <Select
          value={into}
          choices={others.map(({ slug, name }) => [slug, name] as const)}
          onChoose={setInto}
        />
      </Field>
      <p>{words.text(holders, tag.name, name)} </p>
      <p class="hint">{words.hint(tag.name)} </p>
      <div class="actions">
        <Button text={words.keep} onClick={onClose} />
        <Button text={words.verb(name)} kind="primary" type="submit" disabled={isBusy} />
      </div>
    </Dialog>
  );
}
