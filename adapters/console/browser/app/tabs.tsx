import { useLayoutEffect, useRef } from "preact/hooks";
import { Link } from "./router.js";

/** So much of the tab before the current one stays in sight, in pixels. */
const BEFORE = 40;

interface TabsProps {
  readonly label: string;
  /** Each with its address. */
  readonly tabs: readonly { readonly to: string; readonly text: string }[];
  /** The address of the one that is shown. */
  readonly current: string;
}

/** Links to the parts of a screen. */
export function Tabs({ label, tabs, current }: TabsProps) {
  const strip = useRef<HTMLElement>(null);
  // On a phone not all of them are in sight.
  useLayoutEffect(() => {
    const nav = strip.current;
    const link = nav?.querySelector<HTMLElement>(`[href$="${current}"]`) ?? null;
    if (nav !== null && link !== null) nav.scrollLeft = link.offsetLeft - nav.offsetLeft - BEFORE;
  }, [current]);
  return (
    <nav ref={strip} class="tabs" aria-label={label}>
      {tabs.map(({ to, text }) => (
        <Link key={to} class="tab" to={to} isCurrent={to === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
