import { useState } from "preact/hooks";
import { fold } from "../../../../../src/base/values/text.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { BackLink, Link } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { Button } from "../components/button.js";
import { ConfirmDialog, Dialog, useDialog } from "../components/dialog.js";
import { Empty, Loading } from "../components/feedback.js";
import { Field, Select, TextInput } from "../components/field.js";
import { createOptionalTextField, createTextField, FormDialog, useForm } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { Menu } from "../components/menu.js";
import { Pager } from "../components/pager.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { customers } from "../words/en/customers.js";
import { tags as words } from "../words/en/tags.js";

const PAGE_SIZE = 20;

/** Shows all tags with their customer counts, and lets the user edit, merge, and delete them. */
export function TagsScreen() {
  const tags = useLoad("tags", (calls) => calls.tags.list());
  const [search, setSearch] = useState("");
  const [page, setPage] = useState(0);
  const searchText = fold(search.trim());
  const newestFirst = (tags.value ?? []).toReversed();
  const matches = newestFirst.filter(({ name }) => fold(name).includes(searchText));
  const lastPage = Math.max(0, Math.ceil(matches.length / PAGE_SIZE) - 1);
  const currentPage = Math.min(page, lastPage);
  const visibleTags = matches.slice(currentPage * PAGE_SIZE, (currentPage + 1) * PAGE_SIZE);
  // One small request for each tag on the page, because only its total is needed.
  const holders = useLoad(
    visibleTags.map(({ slug, updatedAt }) => `${slug} ${updatedAt}`).join("\n"),
    async (calls) => {
      const counts = visibleTags.map(async ({ slug }) => {
        const filter = { operator: "AND" as const, conditions: [{ slug }] };
        return [slug, (await calls.tags.query({ filter, size: 1 })).totalElements] as const;
      });
      return new Map(await Promise.all(counts));
    },
  );
  const reload = () => {
    tags.reload();
    holders.reload();
  };
  const isEditor = hasScopes("user_tag:write");
  const { show, dialog } = useDialog((close) => <TagForm tag={null} onClose={close} onSaved={reload} />);
  const add = isEditor && <Button icon="plus" text={words.add} kind="primary" onClick={show} />;
  return (
    <>
      <BackLink to="/customers" text={customers.title} />
      <PageHead title={words.title}>{tags.value?.length !== 0 && add}</PageHead>
      <Loading data={tags} height="3rem" count={4}>
        {(allTags) =>
          allTags.length === 0 ? (
            <Empty isPanel title={words.none} action={add}>
              {words.noneHint}
            </Empty>
          ) : (
            <div class="stack">
              {allTags.length > PAGE_SIZE && (
                <TextInput
                  type="search"
                  aria-label={words.search}
                  placeholder={words.searchExample}
                  value={search}
                  onText={setSearch}
                />
              )}
              {visibleTags.length === 0 && <Empty isPanel title={words.noneFound} />}
              <ul class={visibleTags.length === 0 ? "unseen" : "panel list"}>
                {visibleTags.map((tag) => (
                  <TagRow
                    key={tag.slug}
                    tag={tag}
                    holders={holders.value?.get(tag.slug) ?? null}
                    others={allTags.filter(({ slug }) => slug !== tag.slug)}
                    isEditor={isEditor}
                    onChanged={reload}
                  />
                ))}
              </ul>
              <Pager
                noun={words.noun}
                page={currentPage}
                size={PAGE_SIZE}
                total={matches.length}
                onPage={setPage}
              />
            </div>
          )
        }
      </Loading>
      {dialog}
    </>
  );
}

interface TagLineProps {
  readonly tag: UserTag;
  /** Number of customers with the tag, or `null` if it hasn't been loaded yet. */
  readonly holders: number | null;
  readonly others: readonly UserTag[];
  readonly isEditor: boolean;
  readonly onChanged: () => void;
}

function TagRow({ tag, holders, others, isEditor, onChanged }: TagLineProps) {
  const { slug, name, color, description } = tag;
  const holdersText = holders === null ? "" : words.holders(holders);
  return (
    <li class="tag-line">
      <span class="chip">
        <span class="dot" style={{ "--dot": color }} />
        <bdi>{name}</bdi>
      </span>
      <span class="grow quiet">
        <bdi>{description}</bdi>
      </span>
      {hasScopes("segment:read") ? (
        <Link class="number" to={`/customers?tag=${encodeURIComponent(slug)}`}>
          {holdersText}
        </Link>
      ) : (
        <span class="number">{holdersText}</span>
      )}
      {isEditor && (
        <Menu
          label={words.change(name)}
          items={[
            {
              text: words.edit,
              hint: words.editHint,
              dialog: (close) => <TagForm tag={tag} onClose={close} onSaved={onChanged} />,
            },
            ...(others.length === 0
              ? []
              : [
                  {
                    text: words.merge,
                    hint: words.mergeHint,
                    dialog: (close: () => void) => (
                      <MergeTag
                        tag={tag}
                        others={others}
                        holders={holders}
                        onClose={close}
                        onMerged={onChanged}
                      />
                    ),
                  },
                ]),
            {
              text: words.delete,
              hint: words.deleteHint,
              dialog: (close) => (
                <ConfirmDialog
                  title={words.deleteTitle(name)}
                  confirmText={words.deleteVerb(name)}
                  call={() => api.tags.delete(slug)}
                  successMessage={words.deleted(name)}
                  onDone={onChanged}
                  onClose={close}
                >
                  <p>{words.deleteText(holders)} </p>
                </ConfirmDialog>
              ),
            },
          ]}
        />
      )}
    </li>
  );
}

const mergingWords = words.merging;

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
      const alreadyTagged = unchanged === 0 ? "" : `, ${mergingWords.hadBefore(unchanged)}`;
      showToast(`${mergingWords.merged(changed, name)}${alreadyTagged}`);
    });
    setBusy(false);
    if (!isDone) return;
    onClose();
    onMerged();
  };
  return (
    <Dialog title={mergingWords.title(tag.name)} onClose={onClose} onSubmit={merge}>
      <Field label={mergingWords.into}>
        <Select
          value={into}
          choices={others.map(({ slug, name }) => [slug, name] as const)}
          onChoose={setInto}
        />
      </Field>
      <p>{mergingWords.text(holders, tag.name, name)} </p>
      <p class="hint">{mergingWords.hint(tag.name)} </p>
      <div class="actions">
        <Button text={mergingWords.keep} onClick={onClose} />
        <Button text={mergingWords.verb(name)} kind="primary" type="submit" disabled={isBusy} />
      </div>
    </Dialog>
  );
}

const formWords = words.form;

const fields = {
  name: createTextField(formWords.name, { maxLength: 100 }),
  description: createOptionalTextField(formWords.description, { rows: 2, maxLength: 500 }),
  color: createTextField(formWords.color, { type: "color", required: false }),
};

const FIRST_COLOR = "#64748B";

interface TagFormProps {
  /** The tag to edit, or `null` to create a new one. */
  readonly tag: UserTag | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/**
 * A form that creates a tag, or edits its name, description, and color. Renaming a tag doesn't change its slug, because links and
 * programs might use the slug.
 */
function TagForm({ tag, onClose, onSaved }: TagFormProps) {
  const form = useForm(fields, {
    saved: tag ?? { color: FIRST_COLOR },
    send: async (values) => {
      const { name } = tag === null ? await api.tags.create(values) : await api.tags.update(tag.slug, values);
      showToast(formWords.saved(name));
      onClose();
      onSaved();
    },
  });
  return (
    <FormDialog
      title={tag === null ? formWords.new : formWords.edit(tag.name)}
      submitText={tag === null ? formWords.add : formWords.save}
      form={form}
      onClose={onClose}
    />
  );
}
