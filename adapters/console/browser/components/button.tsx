import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icons.js";

export interface ButtonProps {
  readonly text?: string;
  /** A picture before the text. */
  readonly icon?: IconName;
  /** Says what a button does that shows only a picture. */
  readonly label?: string;
  /** Says more than the text, such as what the button is about. */
  readonly "aria-label"?: string;
  readonly children?: ComponentChildren;
  readonly kind?: "primary" | "danger" | "plain" | "";
  readonly type?: "button" | "submit";
  /** A disabled button keeps the keyboard focus, so that a press that disables it doesn't send the focus to the page. */
  readonly disabled?: boolean;
  readonly class?: string;
  readonly isPressed?: boolean;
  /** Whether the menu or dialog that it opens is open. */
  readonly isExpanded?: boolean;
  readonly onClick?: () => void;
}

export function Button({
  text,
  icon,
  label,
  children,
  kind = "",
  type = "button",
  isPressed,
  isExpanded,
  disabled,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      // It keeps the Enter key in a field from sending the form, too.
      onClick={(event) => (disabled ? event.preventDefault() : onClick?.())}
      aria-disabled={disabled || undefined}
      class={`button ${kind} ${label === undefined ? "" : "icon"} ${rest.class ?? ""}`}
      {...(label !== undefined && { "aria-label": label, title: label })}
      {...(isPressed !== undefined && { "aria-pressed": isPressed })}
      {...(isExpanded !== undefined && { "aria-expanded": isExpanded })}
    >
      {icon !== undefined && <Icon name={icon} />}
      {icon !== undefined && " "}
      {text ?? children}
    </button>
  );
}
