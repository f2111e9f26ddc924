import { Link } from "./router.js";

interface TabsProps {
  readonly label: string;
  /** Each with its address. */
  readonly tabs: readonly { readonly to: string; readonly text: string }[];
  /** The address of the one that is shown. */
  readonly current: string;
}

/** Links to the parts of a screen. */
export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ to, text }) => (
        <Link key={to} class="tab" to={to} isCurrent={to === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
