import { useState } from "preact/hooks";
import type { UserSelection } from "../../../../../src/tags/schema.js";
import { api } from "../api/calls.js";
import { Button } from "../components/button.js";
import { DialogButton } from "../components/dialog.js";
import { Select } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { tags as words } from "../words/en/tags.js";
import { Export } from "./export.js";
import { buildSelection } from "./list-filter.js";
import { type CustomerListQuery, loadContacts } from "./list-query.js";

/** Maximum number of customers sent by ID. */
const MAX_USER_IDS = 10_000;
const PAGE_SIZE = 200;

interface BulkTagsProps {
  readonly userIds: readonly string[];
  readonly query: CustomerListQuery;
  /** Number of customers in the whole list, across all pages. */
  readonly total: number;
  /** Whether all customers on the page are selected and the list has further pages. */
  readonly hasMore: boolean;
  readonly onDone: () => void;
}

/** Controls for assigning or removing a tag, either for the customers selected on the page or for all customers in the list. */
export function BulkTags({ userIds, query, total, hasMore, onDone }: BulkTagsProps) {
  const tags = useLoad("tags", (calls) => calls.tags.list());
  const [slug, setSlug] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [selectedQuery, setSelectedQuery] = useState<CustomerListQuery | null>(null);
  // A selection of the whole list applies only to that list, because other lists contain other customers.
  const isAll = selectedQuery !== null && isSameList(selectedQuery, query);
  const chosenSlug = slug || (tags.value?.[0]?.slug ?? "");
  const isSearch = query.search.trim() !== "";

  const buildUserSelection = async (): Promise<UserSelection> => {
    if (!isAll) return { userIds: [...userIds] };
    return isSearch ? { userIds: await loadAllIds(query) } : buildSelection(query);
  };
  const run = async (verb: "assign" | "unassign") => {
    setBusy(true);
    await runWithToast(async () => {
      const change = async (isUndo: boolean, users: UserSelection) => {
        const isAssigning = (verb === "assign") !== isUndo;
        const call = isAssigning ? api.tags.assignUsers : api.tags.unassignUsers;
        const { changed, unchanged } = await call(chosenSlug, users);
        // Offer undo only if every customer was changed, because customers who already had the tag must keep it.
        const canUndo = !isUndo && unchanged === 0 && users.userIds !== undefined;
        showToast(
          isAssigning ? words.bulk.got(changed) : words.bulk.lost(changed),
          canUndo ? () => void runWithToast(() => change(true, users)) : null,
        );
      };
      await change(false, await buildUserSelection());
      onDone();
    });
    setBusy(false);
  };

  return (
    <section class="note" aria-label={words.bulk.label}>
      <span class="grow">
        {isAll ? words.bulk.all(total) : words.bulk.some(userIds.length)}{" "}
        {!isAll && hasMore && (!isSearch || total <= MAX_USER_IDS) && (
          <Button text={words.bulk.selectAll(total)} kind="plain" onClick={() => setSelectedQuery(query)} />
        )}
      </span>
      {tags.value?.length === 0 ? (
        <span>{words.bulk.makeFirst}</span>
      ) : (
        <>
          <Select
            class="narrow"
            aria-label={words.bulk.tag}
            value={chosenSlug}
            choices={(tags.value ?? []).map(({ slug, name }) => [slug, name] as const)}
            onChoose={setSlug}
          />
          <Button
            text={words.bulk.assign}
            kind="primary"
            disabled={chosenSlug === "" || isBusy}
            onClick={() => void run("assign")}
          />
          <Button
            text={words.bulk.unassign}
            disabled={chosenSlug === "" || isBusy}
            onClick={() => void run("unassign")}
          />
        </>
      )}
      {isAll && (
        <DialogButton
          text={words.bulk.exportAll}
          dialog={(close) => <Export query={query} total={total} onClose={close} />}
        />
      )}
      <Button text={words.bulk.clear} kind="plain" onClick={onDone} />
    </section>
  );
}

function isSameList(one: CustomerListQuery, other: CustomerListQuery): boolean {
  const plain = (query: CustomerListQuery) => JSON.stringify({ ...query, page: 0, sort: "" });
  return plain(one) === plain(other);
}

/** Reads the IDs of all matching customers, oldest first, so that customers added while it runs come last. */
async function loadAllIds(query: CustomerListQuery): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 0, pages = 1; page < pages && ids.length < MAX_USER_IDS; page += 1) {
    const contactPage = await loadContacts(api, { ...query, sort: "createdAt,asc", page }, PAGE_SIZE);
    ids.push(...contactPage.content.map(({ id }) => id));
    pages = contactPage.totalPages;
  }
  return ids.slice(0, MAX_USER_IDS);
}
