import { useState } from "preact/hooks";
import type { UserTag } from "../../../../src/resources/tag.js";
import type { TaggingResult } from "../../../../src/resources/tagging.js";
import { get, post } from "../app/call.js";
import { Button } from "../parts/button.js";
import { useLoad } from "../parts/load.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { counted } from "../parts/words.js";

interface BulkTagsProps {
  readonly userIds: readonly string[];
  readonly onDone: () => void;
}

/** Gives a tag to all who are selected, or takes it from them. */
export function BulkTags({ userIds, onDone }: BulkTagsProps) {
  const tags = useLoad<UserTag[]>("tags", (signal) => get("/v1/user-tags", signal));
  const [slug, setSlug] = useState("");
  const chosen = slug || (tags.value?.[0]?.slug ?? "");

  const run = async (verb: "assign" | "unassign", isUndo = false) => {
    const path = (verb: string) => `/v1/user-tags/${encodeURIComponent(chosen)}/users:${verb}`;
    try {
      const { changed, unchanged } = await post<TaggingResult>(path(verb), { userIds });
      // Who had the tag before must keep it, so only what changed all of them can be undone at once.
      const canUndo = !isUndo && unchanged === 0;
      tell(
        `${counted(changed, "customer")} ${verb === "assign" ? "got" : "lost"} the tag`,
        canUndo ? () => void run(verb === "assign" ? "unassign" : "assign", true) : null,
      );
      onDone();
    } catch (error) {
      tellFailure(error);
    }
  };

  return (
    <section class="note" aria-label="Selected customers">
      <span class="grow">{counted(userIds.length, "customer")} selected</span>
      {tags.value !== null && tags.value.length === 0 ? (
        <span>Make a tag first, on the page of any customer.</span>
      ) : (
        <>
          <select
            class="narrow"
            aria-label="Tag"
            value={chosen}
            onChange={(event) => setSlug(event.currentTarget.value)}
          >
            {(tags.value ?? []).map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {name}
              </option>
            ))}
          </select>
          <Button kind="primary" disabled={chosen === ""} onClick={() => void run("assign")}>
            Tag
          </Button>
          <Button disabled={chosen === ""} onClick={() => void run("unassign")}>
            Untag
          </Button>
        </>
      )}
      <Button kind="plain" onClick={onDone}>
        Clear
      </Button>
    </section>
  );
}
