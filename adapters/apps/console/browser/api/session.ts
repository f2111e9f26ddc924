import type { Role, Scope } from "../../../../../src/base/scopes.js";
import type { Settings } from "../../../../../src/settings/schema.js";
import type { WalletSetup } from "../../../../../src/wallets/schema.js";

/** The session of the signed-in user, as embedded in the page. */
interface Session {
  readonly organizationId: string;
  /** The shop's name from its settings, or `null` if it isn't set. {@link applyShopSettings} changes it. */
  shopName: string | null;
  /** The hash of the shop's logo, or `null` if it has none. {@link applyShopSettings} changes it. */
  shopLogo: string | null;
  /** The time zone in which the organization's days begin and end. {@link applyShopSettings} changes it. */
  timeZone: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** The signed-in staff member, or `null` if the user signed in with an API token or through the host. */
  readonly person: {
    readonly id: string;
    readonly name: string | null;
    readonly email: string;
    readonly role: Role;
  } | null;
  /** The URL where the host ends its sessions, or `null` if the console ends them. */
  readonly signOut: string | null;
  /** Links to the host's own pages, for the navigation. */
  readonly links: readonly { readonly text: string; readonly url: string }[];
  /** Whether the server can send email. */
  readonly hasMail: boolean;
  /** Whether the server can add cards to wallets. */
  readonly hasWallets: boolean;
  /** The wallet setup, or `null` if the user may not see it. */
  readonly wallets: WalletSetup | null;
  /** The URL at which customers' phones reach the server, or `null` if it is unknown. */
  readonly publicUrl: string | null;
  /** The origin at which staff can sign in with passkeys, or `null` if passkeys are disabled. */
  readonly passkeys: string | null;
  /** Whether the user runs the server. */
  readonly isOperator: boolean;
}

function readMeta(name: string): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;
}

/** The path prefix under which the host serves the API. Empty if it is served at the root. */
export const mount: string = readMeta("mount") ?? "";

/** The console's root path, including the host's path prefix. */
export const base = `${mount}/console`;

export const session: Session = JSON.parse(
  readMeta("session") ??
    '{"organizationId":"","shopName":null,"shopLogo":null,"timeZone":"UTC","subject":"","scopes":[],"person":null,"signOut":null,"links":[],"hasMail":false,"hasWallets":false,"wallets":null,"publicUrl":null,"passkeys":null,"isOperator":false}',
);

/** The event on the window that tells that the shop has another name or logo. */
export const SHOP_CHANGED = "shop-changed";

/** Takes over the shop's name, logo, and time zone wherever the console uses them, without saving them. */
export function applyShopSettings({
  name,
  logo,
  timeZone,
}: Pick<Settings, "name" | "logo" | "timeZone">): void {
  session.shopName = name;
  session.shopLogo = logo;
  session.timeZone = timeZone;
  dispatchEvent(new Event(SHOP_CHANGED));
}

/** Whether a user is signed in. Always `false` on public pages, which have no session. */
export const isSignedIn = session.organizationId !== "";

/**
 * Returns whether the session has all of the given scopes. Use this only to hide actions that the user isn't allowed to take. The
 * scopes themselves are enforced by the server.
 */
export function hasScopes(...scopes: readonly Scope[]): boolean {
  return scopes.every((scope) => session.scopes.includes(scope));
}

let pendingSignIn: Promise<void> | null = null;
let resumePending: (() => void) | null = null;
let promptSignIn: (resume: () => void) => void = () => {};

/**
 * Sets the function that asks the user to sign in again after the session has ended. Calls it immediately if the session has
 * already ended.
 * @param prompt a function that asks the user to sign in and calls `resume` once there is a new session.
 */
export function onSessionEnd(prompt: (resume: () => void) => void): void {
  promptSignIn = prompt;
  if (resumePending !== null) prompt(resumePending);
}

/**
 * Asks the user to sign in again, in a dialog on top of the current screen. Concurrent calls share the dialog. Resolves once there
 * is a new session.
 */
export function waitForSignIn(): Promise<void> {
  pendingSignIn ??= new Promise<void>((resolve) => {
    resumePending = () => {
      pendingSignIn = null;
      resumePending = null;
      resolve();
    };
    promptSignIn(resumePending);
  });
  return pendingSignIn;
}
