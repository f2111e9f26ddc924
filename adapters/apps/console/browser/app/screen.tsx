import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Button } from "../components/button.js";
import { Empty, Skeleton } from "../components/feedback.js";
import { app as words } from "../words/en/app.js";
import type { ScreenLocation } from "./place.js";
import { Link } from "./router.js";
import { startPath } from "./sections.js";

export interface ScreenProps {
  readonly screenLocation: ScreenLocation;
}

export type Screen = ComponentType<ScreenProps>;

/** Loads a screen's code and renders the screen. If loading fails, shows an error. */
export function LazyScreen({
  load,
  screenLocation,
}: {
  readonly load: () => Promise<Screen>;
  readonly screenLocation: ScreenLocation;
}) {
  const [LoadedScreen, setLoaded] = useState<Screen | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  useLayoutEffect(() => {
    let isUnmounted = false;
    setHasFailed(false);
    load().then(
      (screen) => !isUnmounted && setLoaded(() => screen),
      () => !isUnmounted && setHasFailed(true),
    );
    return () => {
      isUnmounted = true;
    };
  }, [load]);
  if (hasFailed) {
    return (
      <Empty
        title={words.unreachable}
        action={<Button text={words.tryAgain} onClick={() => location.reload()} />}
      />
    );
  }
  return LoadedScreen === null ? (
    <Skeleton height="3rem" count={4} />
  ) : (
    <LoadedScreen screenLocation={screenLocation} />
  );
}

interface PageHeadProps {
  readonly title: ComponentChildren;
  /** The title of the browser tab, for a `title` that isn't a string. */
  readonly documentTitle?: string;
  readonly children?: ComponentChildren;
}

/** A screen's heading and its buttons. Also sets the browser tab's title. */
export function PageHead({ title, documentTitle, children }: PageHeadProps) {
  const text = documentTitle ?? (typeof title === "string" ? title : words.console);
  useEffect(() => {
    document.title = words.title(text);
  }, [text]);
  return (
    <div class="page-head">
      <h1>{title}</h1>
      <div class="row">{children}</div>
    </div>
  );
}

export function NotFound() {
  return (
    <>
      <h1 class="unseen">{words.notFound}</h1>
      <Empty
        title={words.pageNotFound}
        action={
          <Link class="button" to={startPath}>
            {words.goToOverview}
          </Link>
        }
      >
        {words.addressMayBeWrong}
      </Empty>
    </>
  );
}
