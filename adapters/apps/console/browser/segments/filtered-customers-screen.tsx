import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import { CallError } from "../api/call-error.js";
import { hasScopes } from "../api/session.js";
import type { ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { DialogButton } from "../components/dialog.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { type ActiveFilterProps, CustomersScreen } from "../customers/customers-screen.js";
import { buildSegmentFilter, isReadable, noFilter, pickSource } from "../customers/list-filter.js";
import { actions, savedSegments } from "../words/en/segments.js";
import { SegmentDetails } from "./segment-details.js";

/** The customer list, with a description of the active filter and a button that saves it as a segment. */
export function FilteredCustomersScreen({ screenLocation }: ScreenProps) {
  return (
    <CustomersScreen
      screenLocation={screenLocation}
      renderActiveFilter={(props) => <ActiveFilter {...props} />}
    />
  );
}

/**
 * Describes the active filter in words and offers to save it as a segment. Renders nothing if the list is filtered only by search
 * text or by a saved segment, or not at all.
 */
function ActiveFilter({ query, onChange, onSaved }: ActiveFilterProps) {
  const filter = buildSegmentFilter(query);
  const isShown = filter !== null && pickSource(query) === "filter";
  const isRead = isReadable(query);
  const text = isShown && isRead ? JSON.stringify(filter) : "";
  const sentence = useLoad(text, async (calls) => (text === "" ? null : loadSentence(calls, text)));
  if (!isShown) return null;
  return (
    <div class="row">
      <p class="grow quiet sentence">
        <bdi>{isRead ? (sentence.value ?? "") : savedSegments.badLink}</bdi>
      </p>
      {isRead && hasScopes("segment:write") && (
        <DialogButton
          text={actions.saveAsSegment}
          dialog={(close) => (
            <SegmentDetails
              filter={filter}
              onClose={close}
              onSaved={({ name, slug }) => {
                close();
                showToast(savedSegments.wasSaved(name));
                onSaved(slug);
              }}
            />
          )}
        />
      )}
      <Button text={actions.showAll} onClick={() => onChange(noFilter)} />
    </div>
  );
}

/**
 * Loads the code that describes filters, which most lists don't need.
 * @throws {CallError} if the server can't be reached.
 */
async function loadSentence(calls: OrganizationCalls, text: string): Promise<string> {
  const [lists, { formatSentence }, { parseGroupText }] = await Promise.all([
    import("./filter-options.js"),
    import("./filter-sentence.js"),
    import("./filter-tree.js"),
  ]).catch(() => {
    throw new CallError(0, null);
  });
  const tree = parseGroupText(text);
  return tree === null ? "" : formatSentence(tree, lists.optionNames(await lists.loadFilterOptions(calls)));
}
