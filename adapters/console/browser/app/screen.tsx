import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Empty, Skeleton } from "../parts/states.js";
import { Link, type Place } from "./router.js";

/** What a screen gets: where it is. */
export interface ScreenProps {
  readonly place: Place;
}

export type Screen = ComponentType<ScreenProps>;

/** Brings a screen when it is first gone to. */
export function Later({ load, place }: { readonly load: () => Promise<Screen>; readonly place: Place }) {
  const [Found, setFound] = useState<Screen | null>(null);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    let isGone = false;
    setFailed(false);
    load().then(
      (screen) => !isGone && setFound(() => screen),
      () => !isGone && setFailed(true),
    );
    return () => {
      isGone = true;
    };
  }, [load]);
  if (isFailed) {
    return (
      <Empty
        title="The server can’t be reached"
        action={<Button onClick={() => location.reload()}>Try again</Button>}
      />
    );
  }
  return Found === null ? <Skeleton height="3rem" count={4} /> : <Found place={place} />;
}

interface PageHeadProps {
  readonly title: ComponentChildren;
  /** What the browser's tab says. */
  readonly tab?: string;
  readonly children?: ComponentChildren;
}

/** The title of a screen and what can be done there first. */
export function PageHead({ title, tab, children }: PageHeadProps) {
  const text = tab ?? (typeof title === "string" ? title : "Console");
  useEffect(() => {
    document.title = `${text} · Loyalty console`;
  }, [text]);
  return (
    <div class="page-head">
      <h1>{title}</h1>
      <div class="row">{children}</div>
    </div>
  );
}

/** For addresses that lead nowhere. */
export function NotFound() {
  return (
    <>
      <h1 class="unseen">Not found</h1>
      <Empty
        title="There is nothing here"
        action={
          <Link class="button" to="/">
            To the overview
          </Link>
        }
      >
        The address may be mistyped, or what was here is gone.
      </Empty>
    </>
  );
}
