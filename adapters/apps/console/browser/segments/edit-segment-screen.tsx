import { useState } from "preact/hooks";
import type { Segment } from "../../../../../src/segments/schema.js";
import { api } from "../api/calls.js";
import { BackLink, navigateNow } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { UnsavedChanges } from "../app/unsaved.js";
import { Button } from "../components/button.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { savedSegments } from "../words/en/segments.js";
import { useFilterOptions } from "./filter-options.js";
import { buildFilter, createGroup, parseGroup } from "./filter-tree.js";
import { SegmentEditor } from "./segment-editor.js";

/** The screen for editing a saved segment's filter. */
export function EditSegmentScreen({ screenLocation }: ScreenProps) {
  const { id: slug } = screenLocation;
  const segment = useLoad(slug, (calls) => calls.segments.get(slug));
  return (
    <Loading data={segment} height="20rem" missing={<NotFound />}>
      {(segment) => <FilterEditor segment={segment} />}
    </Loading>
  );
}

function FilterEditor({ segment }: { readonly segment: Segment }) {
  const { slug, name } = segment;
  const [tree, setTree] = useState(() => parseGroup(segment.filter) ?? createGroup());
  const [savedFilter] = useState(() => JSON.stringify(buildFilter(tree)));
  const [isSaved, setSaved] = useState(false);
  const lists = useFilterOptions();
  const { isBusy, error, save } = useSave();
  const path = `/segments/${encodeURIComponent(slug)}`;
  const isDirty = !isSaved && JSON.stringify(buildFilter(tree)) !== savedFilter;
  return (
    <>
      <UnsavedChanges isDirty={isDirty} />
      <BackLink to={path} text={name} />
      <PageHead title={savedSegments.changeTitle(name)} />
      <SegmentEditor
        tree={tree}
        lists={lists}
        onChange={setTree}
        actions={(filter) => (
          <>
            <div class="row">
              <Button
                text={savedSegments.saveFilter}
                kind="primary"
                disabled={isBusy || !isDirty}
                onClick={() =>
                  void save(async () => {
                    const { entered, left } = await api.segments.update(slug, { filter });
                    setSaved(true);
                    showToast(savedSegments.moved(entered, left));
                    navigateNow(path);
                  })
                }
              />
            </div>
            {error !== null && <ErrorText>{error.message}</ErrorText>}
          </>
        )}
      />
    </>
  );
}
