import { useState } from "preact/hooks";
import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { showToast } from "../components/toasts.js";
import { actions } from "../words/en/segments.js";
import { type Group, parseGroupText } from "./filter-tree.js";

interface FilterTextProps {
  /** The filter as JSON, or an empty string if there is no filter. */
  readonly text: string;
  readonly onChange: (tree: Group) => void;
}

/** Shows the filter as editable JSON, with a button that copies the JSON and another button that copies a link to this screen. */
export function FilterText({ text, onChange }: FilterTextProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2));
  const isWrong = typed !== null && typed.trim() !== "" && parseGroupText(typed) === null;
  const write = (value: string) => {
    setTyped(value);
    const tree = parseGroupText(value);
    if (tree !== null) onChange(tree);
  };
  const copy = async (value: string, said: string) => {
    await navigator.clipboard.writeText(value);
    showToast(said);
  };
  return (
    <details class="panel padded filter-text">
      <summary>{actions.share}</summary>
      <div class="stack">
        <TextField
          label={actions.json}
          error={isWrong ? actions.noFilter : ""}
          class="code"
          rows={10}
          spellcheck={false}
          value={shown}
          onText={write}
          onBlur={() => !isWrong && setTyped(null)}
        />
        <div class="row">
          <Button
            text={actions.copyJson}
            disabled={text === ""}
            onClick={() => void copy(text, actions.jsonCopied)}
          />
          <Button
            text={actions.copyLink}
            disabled={text === ""}
            onClick={() => void copy(location.href, actions.linkCopied)}
          />
        </div>
      </div>
    </details>
  );
}
