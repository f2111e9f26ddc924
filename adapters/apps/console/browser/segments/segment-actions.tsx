import { useState } from "preact/hooks";
import { fold } from "../../../../../src/base/values/text.js";
import type { User } from "../../../../../src/customers/schema.js";
import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { Button } from "../components/button.js";
import { Dialog, DialogButton } from "../components/dialog.js";
import { download } from "../components/download.js";
import { TextField } from "../components/field.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { loadCsv } from "../customers/load-csv.js";
import { actions } from "../words/en/segments.js";
import { exporting } from "../words/en/transfer.js";

const PAGE_SIZE = 100;

interface SegmentActionsProps {
  readonly filter: SegmentFilter;
  /** The slug of the segment whose filter this is. Absent if the filter isn't saved. */
  readonly segment?: string;
  readonly total: number;
  readonly tags: readonly UserTag[];
  readonly onChanged: () => void;
}

/** Buttons for tagging or exporting all customers who match a filter. */
export function SegmentActions({ filter, segment, total, tags, onChanged }: SegmentActionsProps) {
  const [exportedCount, setExportedCount] = useState<number | null>(null);
  const exportAll = async () => {
    setExportedCount(0);
    await runWithToast(async () => {
      const { toCustomersCsv } = await loadCsv();
      const users: User[] = [];
      for (let page = 0, isLast = false; !isLast; page += 1) {
        const { content, totalPages } = await api.segments.query({ filter, page, size: PAGE_SIZE });
        users.push(...content);
        isLast = page + 1 >= totalPages;
        setExportedCount(users.length);
      }
      download(`${segment ?? exporting.fileName}.csv`, toCustomersCsv(users));
    });
    setExportedCount(null);
  };
  return (
    <div class="row">
      {hasScopes("user_tag:write") && (
        <DialogButton
          text={actions.tagAll}
          disabled={total === 0}
          dialog={(close) => (
            <TagAll filter={filter} total={total} tags={tags} onClose={close} onChanged={onChanged} />
          )}
        />
      )}
      {hasScopes("message:send") && (
        <Link class="button" to={`/messages/new?${buildMessagePath(filter, segment)}`}>
          {actions.write}
        </Link>
      )}
      <Button
        text={exportedCount === null ? actions.export : actions.exported(exportedCount, total)}
        disabled={total === 0 || exportedCount !== null}
        onClick={() => void exportAll()}
      />
    </div>
  );
}

function buildMessagePath(filter: SegmentFilter, segment: string | undefined): string {
  if (segment !== undefined) return `segment=${encodeURIComponent(segment)}`;
  return `filter=${encodeURIComponent(JSON.stringify(filter))}`;
}

interface TagAllProps extends SegmentActionsProps {
  readonly onClose: () => void;
}

function TagAll({ filter, total, tags, onClose, onChanged }: TagAllProps) {
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    const tagName = name.trim();
    if (tagName === "") return setError(actions.tagMissing);
    await runWithToast(async () => {
      const existingTag = tags.find((tag) => fold(tag.name) === fold(tagName));
      const { slug } = existingTag ?? (await api.tags.create({ name: tagName }));
      const { changed, unchanged } = await api.tags.assignUsers(slug, { filter });
      showToast(actions.tagged(changed, tagName, unchanged));
      onClose();
      onChanged();
    });
  };
  return (
    <Dialog title={actions.tagSome(total)} onClose={onClose} onSubmit={run}>
      <TextField
        label={actions.tag}
        hint={actions.tagHint}
        error={error}
        list="segment-tags"
        maxLength={100}
        value={name}
        onText={setName}
      />
      <datalist id="segment-tags">
        {tags.map(({ slug, name }) => (
          <option key={slug} value={name} />
        ))}
      </datalist>
      <div class="actions">
        <Button text={actions.cancel} onClick={onClose} />
        <Button text={actions.tagSome(total)} kind="primary" type="submit" />
      </div>
    </Dialog>
  );
}
