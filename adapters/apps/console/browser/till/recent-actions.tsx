import { Button } from "../components/button.js";
import { till as words } from "../words/en/till.js";
import type { DoneAction } from "./till-state.js";

interface DoneBeforeProps {
  readonly done: readonly DoneAction[];
  readonly onUndo: (id: number) => void;
}

/** Lists earlier actions, each with an undo button if it can be undone. */
export function RecentActions({ done, onUndo }: DoneBeforeProps) {
  if (done.length === 0) return null;
  return (
    <ul class="till-done" aria-label={words.doneBefore}>
      {done.map(({ id, name, text, isGood, undo, isUndoing }) => (
        <li key={id} class={isGood ? "" : "bad"}>
          <span class="grow">
            <strong>
              <bdi>{name}</bdi>
            </strong>{" "}
            <span>{text}</span>
          </span>
          {undo !== null && (
            <Button disabled={isUndoing} onClick={() => onUndo(id)}>
              {words.undo} <span class="unseen">{words.undone(text, name)}</span>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
