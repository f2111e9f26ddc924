import { useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { TextField } from "../parts/field.js";
import { tell } from "../parts/toasts.js";
import { type Group, groupIn } from "./filter-tree.js";

interface FilterTextProps {
  /** The filter as JSON; empty for none. */
  readonly text: string;
  readonly onChange: (tree: Group) => void;
}

/** The filter as JSON, which can be edited, and as a link to this screen. */
export function FilterText({ text, onChange }: FilterTextProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (text === "" ? "" : JSON.stringify(JSON.parse(text), null, 2));
  const isWrong = typed !== null && typed.trim() !== "" && groupIn(typed) === null;
  const write = (value: string) => {
    setTyped(value);
    const tree = groupIn(value);
    if (tree !== null) onChange(tree);
  };
  const copy = async (what: string, value: string) => {
    await navigator.clipboard.writeText(value);
    tell(`${what} copied`);
  };
  return (
    <details class="panel padded filter-text">
      <summary>Share it, or for developers</summary>
      <div class="stack">
        <TextField
          label="The same for developers (JSON)"
          error={isWrong ? "This is no filter yet." : ""}
          class="code"
          rows={10}
          spellcheck={false}
          value={shown}
          onText={write}
          onBlur={() => !isWrong && setTyped(null)}
        />
        <div class="row">
          <Button text="Copy JSON" disabled={text === ""} onClick={() => void copy("The filter was", text)} />
          <Button
            text="Copy link"
            disabled={text === ""}
            onClick={() => void copy("The link was", location.href)}
          />
        </div>
      </div>
    </details>
  );
}
