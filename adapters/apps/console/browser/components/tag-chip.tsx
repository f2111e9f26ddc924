import { Icon } from "./icons.js";

interface TagChipProps {
  readonly tag: { readonly name: string; readonly color: string };
  /** Accessible name of the remove button. */
  readonly label: string;
  /** Called when the remove button is pressed. If omitted, there is no remove button. */
  readonly onRemove?: (() => void) | undefined;
}

/** A tag's name in the tag's color, optionally with a remove button. */
export function TagChip({ tag: { name, color }, label, onRemove }: TagChipProps) {
  return (
    <li class="chip">
      <span class="dot" style={{ "--dot": color }} />
      <bdi>{name}</bdi>
      {onRemove !== undefined && (
        <button type="button" aria-label={label} onClick={onRemove}>
          <Icon name="close" size={12} />
        </button>
      )}
    </li>
  );
}
