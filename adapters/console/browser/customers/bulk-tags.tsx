import { useState } from "preact/hooks";
import { api } from "../api/calls.js";
import { Button } from "../parts/button.js";
import { Select } from "../parts/field.js";
import { useLoad } from "../parts/load.js";
import { attempt, tell } from "../parts/toasts.js";
import { counted } from "../parts/words.js";

interface BulkTagsProps {
  readonly userIds: readonly string[];
  readonly onDone: () => void;
}

/** Gives a tag to all selected customers, or takes it from them. */
export function BulkTags({ userIds, onDone }: BulkTagsProps) {
  const tags = useLoad("tags", (calls) => calls.tags.list());
  const [slug, setSlug] = useState("");
  const chosen = slug || (tags.value?.[0]?.slug ?? "");
  const run = (verb: "assign" | "unassign", isUndo = false) =>
    attempt(async () => {
      const call = verb === "assign" ? api.tags.assignUsers : api.tags.unassignUsers;
      const { changed, unchanged } = await call(chosen, { userIds: [...userIds] });
      // Only a change of all of them can be undone at once: whoever had the tag before must keep it.
      const canUndo = !isUndo && unchanged === 0;
      tell(
        `${counted(changed, "customer")} ${verb === "assign" ? "got" : "lost"} the tag`,
        canUndo ? () => void run(verb === "assign" ? "unassign" : "assign", true) : null,
      );
      onDone();
    });

  return (
    <section class="note" aria-label="Selected customers">
      <span class="grow">{counted(userIds.length, "customer")} selected</span>
      {tags.value?.length === 0 ? (
        <span>Make a tag first, on the page of any customer.</span>
      ) : (
        <>
          <Select
            class="narrow"
            aria-label="Tag"
            value={chosen}
            choices={(tags.value ?? []).map(({ slug, name }) => [slug, name] as const)}
            onChoose={setSlug}
          />
          <Button text="Tag" kind="primary" disabled={chosen === ""} onClick={() => void run("assign")} />
          <Button text="Untag" disabled={chosen === ""} onClick={() => void run("unassign")} />
        </>
      )}
      <Button text="Clear" kind="plain" onClick={onDone} />
    </section>
  );
}
