import { useLayoutEffect, useRef } from "preact/hooks";
import { Link } from "./router.js";

/** How much of the previous tab stays visible, in pixels. */
const PEEK_PX = 40;

interface TabsProps {
  readonly label: string;
  /** The tabs' paths and labels. */
  readonly tabs: readonly { readonly to: string; readonly text: string }[];
  /** Path of the current tab. */
  readonly current: string;
}

/** A row of tabs that link to the parts of a screen. */
export function Tabs({ label, tabs, current }: TabsProps) {
  const navRef = useRef<HTMLElement>(null);
  // Scroll to the current tab, because not all tabs are visible on a phone.
  useLayoutEffect(() => {
    const nav = navRef.current;
    const link = nav?.querySelector<HTMLElement>(`[href$="${current}"]`) ?? null;
    if (nav !== null && link !== null) nav.scrollLeft = link.offsetLeft - nav.offsetLeft - PEEK_PX;
  }, [current]);
  return (
    <nav ref={navRef} class="tabs" aria-label={label}>
      {tabs.map(({ to, text }) => (
        <Link key={to} class="tab" to={to} isCurrent={to === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
