import { useEffect, useState } from "preact/hooks";
import { may } from "../api/session.js";
import { BackLink, keepInAddress, leaveFor } from "../app/router.js";
import { PageHead, type ScreenProps } from "../app/screen.js";
import { DialogButton } from "../parts/dialog.js";
import { tell } from "../parts/toasts.js";
import { saved } from "../words/en/segments.js";
import { noLists, useFilterLists } from "./filter-lists.js";
import { filterOf, type Group, groupIn, newGroup } from "./filter-tree.js";
import { SegmentActions } from "./segment-actions.js";
import { SegmentDetails } from "./segment-details.js";
import { SegmentEditor } from "./segment-editor.js";

/** Builds a filter, to be saved as a segment, or used once. */
export function NewSegmentScreen({ place }: ScreenProps) {
  const [linked] = useState(() => place.query.get("filter") ?? "");
  const [tree, setTree] = useState<Group>(() => groupIn(linked) ?? newGroup());
  const lists = useFilterLists();
  const filter = filterOf(tree);
  const text = filter === null ? "" : JSON.stringify(filter);
  useEffect(() => keepInAddress({ filter: text }), [text]);
  return (
    <>
      <BackLink to="/segments" text={saved.back} />
      <PageHead title={saved.fresh} />
      <SegmentEditor
        tree={tree}
        lists={lists}
        {...(linked !== "" && groupIn(linked) === null && { warning: saved.badLink })}
        onChange={setTree}
        actions={(found, total, onChanged) => (
          <>
            {may("segment:write") && (
              <DialogButton
                text={saved.save}
                kind="primary"
                dialog={(close) => (
                  <SegmentDetails
                    filter={found}
                    onClose={close}
                    onSaved={({ name, slug }) => {
                      tell(saved.wasSaved(name));
                      leaveFor(`/segments/${encodeURIComponent(slug)}`);
                    }}
                  />
                )}
              />
            )}
            <SegmentActions
              filter={found}
              total={total}
              tags={(lists.value ?? noLists).tags}
              onChanged={onChanged}
            />
          </>
        )}
      />
    </>
  );
}
