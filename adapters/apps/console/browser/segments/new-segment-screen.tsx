import { useEffect, useState } from "preact/hooks";
import { hasScopes } from "../api/session.js";
import { BackLink, navigateNow, syncQuery } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { DialogButton } from "../components/dialog.js";
import { showToast } from "../components/toasts.js";
import { savedSegments } from "../words/en/segments.js";
import { noFilterOptions, useFilterOptions } from "./filter-options.js";
import { buildFilter, createGroup, type Group, parseGroupText } from "./filter-tree.js";
import { SegmentActions } from "./segment-actions.js";
import { SegmentDetails } from "./segment-details.js";
import { SegmentEditor } from "./segment-editor.js";

/** The screen for building a new filter. The user can save the filter as a segment or use it only once. */
export function NewSegmentScreen({ screenLocation }: ScreenProps) {
  const [linked] = useState(() => screenLocation.query.get("filter") ?? "");
  const [tree, setTree] = useState<Group>(() => parseGroupText(linked) ?? createGroup());
  const lists = useFilterOptions();
  const filter = buildFilter(tree);
  const text = filter === null ? "" : JSON.stringify(filter);
  useEffect(() => syncQuery({ filter: text }), [text]);
  return (
    <>
      <BackLink to="/segments" text={savedSegments.back} />
      <PageHead title={savedSegments.fresh} />
      <SegmentEditor
        tree={tree}
        lists={lists}
        {...(linked !== "" && parseGroupText(linked) === null && { warning: savedSegments.badLink })}
        onChange={setTree}
        actions={(filter, total, onChanged) => (
          <>
            {hasScopes("segment:write") && (
              <DialogButton
                text={savedSegments.save}
                kind="primary"
                dialog={(close) => (
                  <SegmentDetails
                    filter={filter}
                    onClose={close}
                    onSaved={({ name, slug }) => {
                      showToast(savedSegments.wasSaved(name));
                      navigateNow(`/segments/${encodeURIComponent(slug)}`);
                    }}
                  />
                )}
              />
            )}
            <SegmentActions
              filter={filter}
              total={total}
              tags={(lists.value ?? noFilterOptions).tags}
              onChanged={onChanged}
            />
          </>
        )}
      />
    </>
  );
}
