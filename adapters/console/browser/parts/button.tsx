import type { ComponentChildren } from "preact";

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: "primary" | "danger" | "plain" | "";
  readonly type?: "button" | "submit";
  /** For a button that shows a picture only: what it does. */
  readonly label?: string;
  readonly disabled?: boolean;
  readonly class?: string;
  readonly isPressed?: boolean;
  readonly onClick?: () => void;
}

export function Button({
  children,
  kind = "",
  type = "button",
  label,
  isPressed,
  class: more = "",
  ...rest
}: ButtonProps) {
  const isIcon = label === undefined ? "" : "icon";
  return (
    <button
      {...rest}
      type={type}
      class={`button ${kind} ${isIcon} ${more}`}
      {...(label !== undefined && { "aria-label": label, title: label })}
      {...(isPressed !== undefined && { "aria-pressed": isPressed })}
    >
      {children}
    </button>
  );
}
