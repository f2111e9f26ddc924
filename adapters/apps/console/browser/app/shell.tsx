import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { base, mount, onSessionEnd, SHOP_CHANGED, session } from "../api/session.js";
import { Button } from "../components/button.js";
import { useCloseOnLeave } from "../components/close-on-leave.js";
import { Icon } from "../components/icons.js";
import { Toasts } from "../components/toasts.js";
import { app as words } from "../words/en/app.js";
import { Link } from "./router.js";
import { developersTabs, type NavigationSection, sections, settingsTabs } from "./sections.js";
import type { DialogsProps } from "./shell-dialogs.js";
import { SignOut } from "./sign-out.js";

const settingsPath = settingsTabs[0]?.to;
const developersPath = developersTabs[0]?.to;

const isCurrentPath = (path: string, to: string) => {
  if (to === "/customers" && path === "/tags") return true;
  return to === "/" ? path === "/" : path.startsWith(to);
};

interface NavLinkProps extends NavigationSection {
  /** Path of the current screen, relative to the console. */
  readonly path: string;
}

function NavLink({ to, icon, text, isUnderMore, path }: NavLinkProps) {
  return (
    <Link class={`nav-link ${isUnderMore ? "wide-only" : ""}`} to={to} isCurrent={isCurrentPath(path, to)}>
      <Icon name={icon} /> {text}
    </Link>
  );
}

interface MoreMenuProps {
  readonly path: string;
  readonly children: ComponentChildren;
}

/** The last button of a phone's navigation. It opens the links that the bar has no room for. */
function MoreMenu({ path, children }: MoreMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useCloseOnLeave(isOpen, root, () => setOpen(false));
  const isCurrent = !sections.some(({ to, isUnderMore }) => !isUnderMore && isCurrentPath(path, to));
  return (
    <div class="more" ref={root}>
      <button
        type="button"
        class="nav-link"
        aria-current={isCurrent}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" /> {words.more}
      </button>
      {isOpen && (
        <div class="more-links">
          {sections
            .filter(({ isUnderMore }) => isUnderMore)
            .map((section) => (
              <NavLink key={section.to} {...section} path={path} />
            ))}
          {children}
        </div>
      )}
    </div>
  );
}

/** The frame around every screen, with the navigation at the side, or at the bottom on phones. */
export function Shell({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  const [Dialogs, setDialogs] = useState<ComponentType<DialogsProps> | null>(null);
  const [searchCount, setSearchCount] = useState(0);
  const openSearch = () => setSearchCount(searchCount + 1);
  useEffect(() => {
    // Loaded after the screen, because a first look needs none of them.
    import("./shell-dialogs.js").then(
      ({ ShellDialogs }) => setDialogs(() => ShellDialogs),
      () => onSessionEnd(() => location.reload()),
    );
  }, []);
  const moreLinks = (
    <>
      {settingsPath !== undefined && (
        <Link class="nav-link" to={settingsPath} isCurrent={isCurrentPath(path, "/settings")}>
          <Icon name="settings" /> {words.settings}
        </Link>
      )}
      {developersPath !== undefined && (
        <>
          <Link class="nav-link" to={developersPath} isCurrent={isCurrentPath(path, "/developers")}>
            <Icon name="developers" /> {words.developers}
          </Link>
          <a class="nav-link" href={`${base}/reference`}>
            <Icon name="book" /> {words.reference}
          </a>
        </>
      )}
      {session.links.map(({ text, url }) => (
        <a key={url} class="nav-link" href={url}>
          <Icon name="link" /> {text}
        </a>
      ))}
      <SignOut class="nav-link" />
    </>
  );
  return (
    <div class="shell">
      <a class="skip button" href="#content">
        {words.skipToContent}
      </a>
      <header class="top">
        <ShopName />
        <Button icon="search" kind="plain" label={words.search} onClick={openSearch} />
      </header>
      <nav class="side" aria-label={words.console}>
        <div class="organization">
          <ShopLogo />
          <ShopName />
        </div>
        <button type="button" class="nav-link wide-only" onClick={openSearch}>
          <Icon name="search" /> {words.search} <kbd>{words.searchKeys}</kbd>
        </button>
        {sections.map((section) => (
          <NavLink key={section.to} {...section} path={path} />
        ))}
        <div class="bottom">{moreLinks}</div>
        {/* A new path closes it. */}
        <MoreMenu key={path} path={path}>
          {moreLinks}
        </MoreMenu>
      </nav>
      <main class="content" id="content" tabIndex={-1}>
        {children}
      </main>
      <Toasts path={path} />
      {Dialogs !== null && <Dialogs path={path} searchCount={searchCount} />}
    </div>
  );
}

/**
 * Shows the shop's name, or the organization ID if the shop has no name. Because the name might be truncated, a tooltip shows it in
 * full.
 */
function ShopName() {
  const displayName = useShopSetting("shopName") ?? session.organizationId;
  return (
    <bdi class="shop-name" title={displayName}>
      {displayName}
    </bdi>
  );
}

/** Shows the shop's logo, or the console's icon if the shop has no logo or the server has no customer pages to serve it. */
function ShopLogo() {
  const logo = useShopSetting("shopLogo");
  const [failedLogo, setFailedLogo] = useState<string | null>(null);
  return logo === null || logo === failedLogo ? (
    <img src={`${base}/icon.svg`} width="24" height="24" alt="" />
  ) : (
    <img
      class="shop-logo"
      src={`${mount}/j/pictures/${logo}`}
      height="24"
      alt=""
      onError={() => setFailedLogo(logo)}
    />
  );
}

/** Returns the shop's name or logo, also after it has changed. */
function useShopSetting(field: "shopName" | "shopLogo"): string | null {
  const [value, setValue] = useState(session[field]);
  useLayoutEffect(() => {
    const update = () => setValue(session[field]);
    addEventListener(SHOP_CHANGED, update);
    return () => removeEventListener(SHOP_CHANGED, update);
  }, []);
  return value;
}
