import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { base } from "../api/session.js";
import { Icon } from "../parts/icons.js";

/** The address of a screen. */
export interface Place {
  /** The path below the console: `/customers/usr_1`; `/` for its own address. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const MOVED = "console-moved";

function placeNow(): Place {
  const path = decodeURI(location.pathname.slice(base.length)) || "/";
  return { path, query: new URLSearchParams(location.search) };
}

export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const follow = () => setPlace(placeNow());
    addEventListener("popstate", follow);
    addEventListener(MOVED, follow);
    return () => {
      removeEventListener("popstate", follow);
      removeEventListener(MOVED, follow);
    };
  }, []);
  return place;
}

/** Navigates to a path below the console. */
export function go(path: string): void {
  history.pushState(null, "", base + (path === "/" ? "" : path));
  dispatchEvent(new Event(MOVED));
  scrollTo(0, 0);
}

/** Writes the state of a screen into the address, for links and for going back; empty values are left out. */
export function keepInAddress(values: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ""));
  const search = query.size === 0 ? "" : `?${query}`;
  if (search !== location.search) history.replaceState(null, "", location.pathname + search);
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}

/** A link within the console. With a modifier key it is the browser's. */
export function Link({ to, isCurrent = false, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      {...rest}
      href={base + (to === "/" ? "" : to)}
      onClick={follow}
      {...(isCurrent && { "aria-current": "page" as const })}
    >
      {children}
    </a>
  );
}

/** The way back to the screen above. */
export function BackLink({ to, text }: { readonly to: string; readonly text: string }) {
  return (
    <Link class="back" to={to}>
      <Icon name="back" /> {text}
    </Link>
  );
}
