import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { base } from "../api/session.js";
import { Icon } from "../components/icons.js";
import { placeAt, type ScreenLocation } from "./place.js";

const MOVED = "console-moved";

/** Asks before the screen is left, which `leave` does. */
export type LeaveGuard = (leave: () => void) => void;

/** The question asked before leaving the current screen; `null` for none. */
let asking: { readonly ask: LeaveGuard; address: string } | null = null;

const addressNow = () => location.pathname + location.search;

const placeNow = () => placeAt(location.pathname.slice(base.length), location.search);

export function useScreenLocation(): ScreenLocation {
  const [place, setPlace] = useState(placeNow);
  useLayoutEffect(() => {
    const follow = () => setPlace(placeNow());
    const travel = () => {
      const wanted = addressNow();
      if (asking === null || asking.address === wanted) return follow();
      // The browser has already navigated: restore the address of the screen that is still shown.
      history.pushState(null, "", asking.address);
      asking.ask(() => {
        history.replaceState(null, "", wanted);
        follow();
      });
    };
    addEventListener("popstate", travel);
    addEventListener(MOVED, follow);
    return () => {
      removeEventListener("popstate", travel);
      removeEventListener(MOVED, follow);
    };
  }, []);
  return place;
}

/** Navigates to a path below the console, after the current screen's question, if any. */
export function navigate(path: string): void {
  if (asking === null) navigateNow(path);
  else asking.ask(() => navigateNow(path));
}

/** Navigates without a question, because the screen's work is saved. */
export function navigateNow(path: string): void {
  history.pushState(null, "", base + (path === "/" ? "" : path));
  dispatchEvent(new Event(MOVED));
  scrollTo(0, 0);
}

/** Gives a page that was opened at one address another, before anything is drawn. */
export function redirectInitial(from: string, to: string): void {
  if (from !== to && placeNow().path === from) history.replaceState(null, "", base + to);
}

/** Replaces the address of the current screen when it becomes linkable. */
export function replaceLocation(path: string): void {
  history.replaceState(null, "", base + path);
  if (asking !== null) asking.address = addressNow();
}

/** Has a question asked before the screen is left for another one; `null` for none. */
export function useLeaveGuard(ask: LeaveGuard | null): void {
  useLayoutEffect(() => {
    if (ask === null) return;
    asking = { ask, address: addressNow() };
    return () => {
      asking = null;
    };
  }, [ask]);
}

/** Writes the state of a screen into the address, for links and for going back; empty values are left out. */
export function syncQuery(values: Readonly<Record<string, string>>): void {
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
    navigate(to);
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
