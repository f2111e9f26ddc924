import { useState } from "preact/hooks";
import type { TagQueryPage } from "../../../../src/resources/page.js";
import type { UserTag } from "../../../../src/resources/tag.js";
import type { TagFilter } from "../../../../src/resources/tag-filter.js";
import type { TaggingResult } from "../../../../src/resources/tagging.js";
import type { User } from "../../../../src/resources/user.js";
import { call, post } from "../app/call.js";
import { may } from "../app/session.js";
import { customersFile } from "../customers/csv.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { download } from "../parts/download.js";
import { Field } from "../parts/field.js";
import { tell, tellFailure } from "../parts/toasts.js";
import { counted } from "../parts/words.js";

const SIZE = 100;

interface SegmentActionsProps {
  readonly filter: TagFilter;
  readonly total: number;
  readonly tags: readonly UserTag[];
  readonly onChanged: () => void;
}

/** What can be done with all whom a filter finds. */
export function SegmentActions({ filter, total, tags, onChanged }: SegmentActionsProps) {
  const [isTagging, setTagging] = useState(false);
  const [exported, setExported] = useState<number | null>(null);

  const exportAll = async () => {
    setExported(0);
    try {
      const users: User[] = [];
      for (let page = 0, isLast = false; !isLast; page += 1) {
        const found = await call<TagQueryPage<User>>("POST", "/v1/user-tags/query", {
          filter,
          page,
          size: SIZE,
        });
        users.push(...found.content);
        isLast = found.last;
        setExported(users.length);
      }
      download("segment.csv", customersFile(users));
    } catch (error) {
      tellFailure(error);
    }
    setExported(null);
  };

  return (
    <div class="row">
      {may("user_tag:write") && (
        <Button kind="primary" disabled={total === 0} onClick={() => setTagging(true)}>
          Tag all
        </Button>
      )}
      <Button disabled={total === 0 || exported !== null} onClick={() => void exportAll()}>
        {exported === null ? "Export all" : `${exported} of ${total}`}
      </Button>
      {isTagging && (
        <TagAll
          filter={filter}
          total={total}
          tags={tags}
          onClose={() => setTagging(false)}
          onDone={() => {
            setTagging(false);
            onChanged();
          }}
        />
      )}
    </div>
  );
}

interface TagAllProps extends Omit<SegmentActionsProps, "onChanged"> {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function TagAll({ filter, total, tags, onClose, onDone }: TagAllProps) {
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    if (wanted === "") return setError("A tag needs a name.");
    try {
      const known = tags.find((tag) => tag.name.toLowerCase() === wanted.toLowerCase());
      const { slug } = known ?? (await post<UserTag>("/v1/user-tags", { name: wanted }));
      const { changed, unchanged } = await post<TaggingResult>(
        `/v1/user-tags/${encodeURIComponent(slug)}/users:assign`,
        { filter },
      );
      tell(
        `${counted(changed, "customer")} tagged “${wanted}”${unchanged > 0 ? `, ${unchanged} had it before` : ""}`,
      );
      onDone();
    } catch (failed) {
      tellFailure(failed);
    }
  };
  return (
    <Dialog title={`Tag ${counted(total, "customer")}`} onClose={onClose} onSubmit={run}>
      <Field label="Tag" hint="One that you have, or a new one by its name." error={error}>
        <input
          list="segment-tags"
          maxLength={100}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <datalist id="segment-tags">
        {tags.map(({ slug, name }) => (
          <option key={slug} value={name} />
        ))}
      </datalist>
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit">
          Tag {counted(total, "customer")}
        </Button>
      </div>
    </Dialog>
  );
}
