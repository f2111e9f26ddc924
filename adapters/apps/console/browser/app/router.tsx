import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { base } from "../api/session.js";
import { Icon } from "../components/icons.js";
import { parseScreenLocation, type ScreenLocation } from "./place.js";

const LOCATION_CHANGED = "console-moved";

/** A function that asks the user whether to leave the screen and, if they agree, calls `leave`. */
export type LeaveGuard = (leave: () => void) => void;

/** The current screen's guard, or `null` if there is none. */
let activeGuard: { readonly guard: LeaveGuard; address: string } | null = null;

const getCurrentAddress = () => location.pathname + location.search;

const getCurrentLocation = () => parseScreenLocation(location.pathname.slice(base.length), location.search);

export function useScreenLocation(): ScreenLocation {
  const [screenLocation, setScreenLocation] = useState(getCurrentLocation);
  useLayoutEffect(() => {
    const updateLocation = () => setScreenLocation(getCurrentLocation());
    const handlePopState = () => {
      const requestedAddress = getCurrentAddress();
      if (activeGuard === null || activeGuard.address === requestedAddress) return updateLocation();
      // The browser has already navigated. Restore the URL of the screen that is still shown.
      history.pushState(null, "", activeGuard.address);
      activeGuard.guard(() => {
        history.replaceState(null, "", requestedAddress);
        updateLocation();
      });
    };
    addEventListener("popstate", handlePopState);
    addEventListener(LOCATION_CHANGED, updateLocation);
    return () => {
      removeEventListener("popstate", handlePopState);
      removeEventListener(LOCATION_CHANGED, updateLocation);
    };
  }, []);
  return screenLocation;
}

/** Navigates to a path relative to the console. If the current screen has a guard, the guard asks the user first. */
export function navigate(path: string): void {
  if (activeGuard === null) navigateNow(path);
  else activeGuard.guard(() => navigateNow(path));
}

/**
 * Navigates to a path relative to the console without asking the user. Use it when nothing can be lost, for example after saving.
 */
export function navigateNow(path: string): void {
  history.pushState(null, "", base + (path === "/" ? "" : path));
  dispatchEvent(new Event(LOCATION_CHANGED));
  scrollTo(0, 0);
}

/** Changes the URL's path to `to` if the page was opened at `from`. Must be called before anything is rendered. */
export function redirectInitial(from: string, to: string): void {
  if (from !== to && getCurrentLocation().path === from) history.replaceState(null, "", base + to);
}

/**
 * Replaces the current screen's URL without loading another screen, for example because a newly created resource now has a path.
 */
export function replaceLocation(path: string): void {
  history.replaceState(null, "", base + path);
  if (activeGuard !== null) activeGuard.address = getCurrentAddress();
}

/** Sets the guard that is called before the user leaves the screen. Pass `null` to let the user leave without being asked. */
export function useLeaveGuard(guard: LeaveGuard | null): void {
  useLayoutEffect(() => {
    if (guard === null) return;
    activeGuard = { guard, address: getCurrentAddress() };
    return () => {
      activeGuard = null;
    };
  }, [guard]);
}

/** Stores a screen's state in the URL's query so that links and the back button can restore it. Omits empty values. */
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

/** A link within the console. Clicks with a modifier key are left to the browser. */
export function Link({ to, isCurrent = false, children, ...rest }: LinkProps) {
  const handleClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a
      {...rest}
      href={base + (to === "/" ? "" : to)}
      onClick={handleClick}
      {...(isCurrent && { "aria-current": "page" as const })}
    >
      {children}
    </a>
  );
}

export function BackLink({ to, text }: { readonly to: string; readonly text: string }) {
  return (
    <Link class="back" to={to}>
      <Icon name="back" /> {text}
    </Link>
  );
}
