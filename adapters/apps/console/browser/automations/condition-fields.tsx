import { hasScopes } from "../api/session.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import type { Group } from "../segments/filter-tree.js";
import { loadBuilder } from "../segments/load-builder.js";
import { editor as words } from "../words/en/automation-editor.js";
import type { EditorProps } from "./trigger-fields.js";

interface ConditionFieldsProps extends EditorProps {
  readonly tree: Group;
  readonly onChange: (change: (tree: Group) => Group) => void;
}

/** Form fields for the filter that determines which customers an automation runs for. */
export function ConditionFields({ tree, setup, errorOf, onChange }: ConditionFieldsProps) {
  const code = useLoad("builder", async (calls) => {
    const { FilterBuilder, loadFilterOptions, tagLists } = await loadBuilder();
    const lists = hasScopes("segment:read") ? await loadFilterOptions(calls) : tagLists(setup.tags);
    return { FilterBuilder, lists };
  });
  const wrong = errorOf("if");
  return (
    <section class="panel padded stack tight" aria-label={words.condition}>
      <h2>{words.condition}</h2>
      <p class="hint">{words.conditionHint}</p>
      <Loading of={code} height="9rem">
        {({ FilterBuilder, lists }) => <FilterBuilder tree={tree} lists={lists} onChange={onChange} />}
      </Loading>
      {wrong !== undefined && (
        <p class="field-error" role="alert">
          {wrong}
        </p>
      )}
    </section>
  );
}
