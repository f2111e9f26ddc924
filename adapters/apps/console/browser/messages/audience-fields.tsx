import type { Segment } from "../../../../../src/segments/schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import { LoadError, Loading } from "../components/feedback.js";
import { Field, Select, TextField } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { CustomerSearch } from "../customers/customer-search.js";
import { buildFilter, type Group, isFinished } from "../segments/filter-tree.js";
import { loadBuilder } from "../segments/load-builder.js";
import { audienceKinds, audience as words } from "../words/en/message-editor.js";
import { incompleteFilter } from "../words/en/segment-conditions.js";
import { type AudienceKind, parseIds } from "./message-draft.js";
import type { MessageEditorProps } from "./more-options.js";

const TYPING_MS = 30;

interface AudienceFieldsProps extends MessageEditorProps {
  readonly tags: readonly UserTag[];
  readonly segments: readonly Segment[];
}

export function AudienceFields({ draft, tags, segments, findError, onChange }: AudienceFieldsProps) {
  const { audience, tree, userIds } = draft;
  const isAllowed: Readonly<Record<AudienceKind, boolean>> = {
    all: true,
    segment: hasScopes("segment:read"),
    filter: hasScopes("user_tag:read"),
    userIds: hasScopes("user:read"),
  };
  const allowedKinds = audienceKinds.filter(([kind]) => kind === audience || isAllowed[kind]);
  const isFiltered = audience === "filter";
  const builder = useLoad(String(isFiltered), async (calls) => {
    if (!isFiltered) return null;
    const code = await loadBuilder();
    const lists = hasScopes("segment:read") ? await code.loadFilterOptions(calls) : code.tagLists(tags);
    return { FilterBuilder: code.FilterBuilder, lists };
  });
  const audienceError = findError("audience") ?? findError("audience.filter");
  return (
    <section class="panel padded stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <Field label={words.customers} hint={words.hint} error={audienceError}>
        <Select value={audience} choices={allowedKinds} onChoose={(kind) => onChange({ audience: kind })} />
      </Field>
      {audience === "segment" && (
        <SegmentField
          slug={draft.segment}
          segments={segments}
          error={findError("audience.segment")}
          onChoose={(segment) => onChange({ segment })}
        />
      )}
      {audience === "filter" && (
        <>
          <Loading data={builder} height="9rem">
            {(loaded) =>
              loaded !== null && (
                <loaded.FilterBuilder
                  tree={tree}
                  lists={loaded.lists}
                  onChange={(change) => onChange({ tree: change(tree) })}
                />
              )
            }
          </Loading>
          <MatchCount tree={tree} />
        </>
      )}
      {audience === "userIds" && (
        <>
          <CustomerSearch
            label={words.find}
            onFound={({ id }) => onChange({ userIds: parseIds(`${userIds} ${id}`).join("\n") })}
          />
          <TextField
            label={words.ids}
            hint={words.idsHint(parseIds(userIds).length)}
            error={findError("audience.userIds")}
            rows={5}
            class="code"
            spellcheck={false}
            value={userIds}
            onText={(text) => onChange({ userIds: text })}
          />
        </>
      )}
    </section>
  );
}

interface SegmentFieldProps {
  readonly slug: string;
  readonly segments: readonly Segment[];
  readonly error: string | undefined;
  readonly onChoose: (slug: string) => void;
}

/** Selects a segment and shows how many members it has now. */
function SegmentField({ slug, segments, error, onChoose }: SegmentFieldProps) {
  const members = segments.find((segment) => segment.slug === slug)?.members ?? null;
  const isDeleted = slug !== "" && !segments.some((segment) => segment.slug === slug);
  return (
    <Field
      label={words.segment}
      hint={members === null ? undefined : words.segmentHint(members)}
      error={error}
    >
      <Select
        value={slug}
        choices={[
          ["", words.noSegment],
          ...segments.map(({ slug, name }) => [slug, name] as const),
          ...(isDeleted ? [[slug, slug] as const] : []),
        ]}
        onChoose={onChoose}
      />
    </Field>
  );
}

/** Shows how many customers match a filter. */
function MatchCount({ tree }: { readonly tree: Group }) {
  const filter = hasScopes("segment:read") ? buildFilter(tree) : null;
  const matches = useLoad(
    JSON.stringify(filter),
    async (calls) =>
      filter === null ? null : (await calls.segments.query({ filter, size: 0 })).totalElements,
    TYPING_MS,
  );
  const isConditionError = Object.keys(matches.error?.fields ?? {}).length > 0;
  if (matches.error !== null && !isConditionError)
    return <LoadError error={matches.error} onRetry={matches.reload} />;
  const isCounted = filter !== null && matches.value !== null && matches.error === null;
  return (
    <p class="quiet" aria-live="polite">
      {isCounted ? words.found(matches.value ?? 0) : describeProblem(tree)}
    </p>
  );
}

/** Explains why a filter can't be counted yet. Returns an empty string if it can be counted. */
function describeProblem(tree: Group): string {
  if (!isFinished(tree)) return incompleteFilter;
  return buildFilter(tree) === null ? words.nothing : "";
}
