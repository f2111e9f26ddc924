import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icons.js";

export interface ButtonProps {
  readonly text?: string;
  /** Icon shown before the text. */
  readonly icon?: IconName;
  /** Accessible name and tooltip for an icon-only button. */
  readonly label?: string;
  /** An accessible name that is more specific than the visible text, for example by including the name of the affected resource. */
  readonly "aria-label"?: string;
  readonly children?: ComponentChildren;
  readonly kind?: "primary" | "danger" | "plain" | "";
  readonly type?: "button" | "submit";
  /**
   * Whether the button is disabled. A disabled button can still receive keyboard focus, so a button that becomes disabled when
   * pressed doesn't lose focus.
   */
  readonly disabled?: boolean;
  readonly class?: string;
  readonly isPressed?: boolean;
  /** Whether the menu or dialog that the button opens is currently open. */
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
      // `preventDefault` also keeps the Enter key in a field from submitting the form.
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
