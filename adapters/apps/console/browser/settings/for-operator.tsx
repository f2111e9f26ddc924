import type { ComponentChildren } from "preact";
import { settings as words } from "../words/en/settings.js";

/** Instructions that only the person who runs the server can follow. They are folded, so that a shop's staff needn't read them. */
export function ForOperator({ children }: { readonly children: ComponentChildren }) {
  return (
    <details class="for-operator">
      <summary>{words.forOperator}</summary>
      <div class="stack tight">{children}</div>
    </details>
  );
}
