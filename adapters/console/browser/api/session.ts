import type { WalletSetup } from "../../../../src/resources/wallet-certificate.js";
import type { Role } from "../../../../src/roles.js";
import type { Scope } from "../../../../src/scopes.js";

/** The session of the signed-in user, as embedded in the page. */
interface Session {
  readonly organizationId: string;
  /** The shop's name from its settings; `null` if it isn't set. */
  readonly shopName: string | null;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** The signed-in staff member; `null` for an API token, or if the host signed the user in. */
  readonly person: {
    readonly id: string;
    readonly name: string | null;
    readonly email: string;
    readonly role: Role;
  } | null;
  /** The URL at which the host ends its sessions; `null` if the console ends them. */
  readonly signOut: string | null;
  /** Additional links to the host's pages. */
  readonly links: readonly { readonly text: string; readonly url: string }[];
  /** True if the server sends email. */
  readonly hasMail: boolean;
  /** True if the server adds cards to wallets. */
  readonly hasWallets: boolean;
  /** The wallet setup; `null` if the user may not see it. */
  readonly wallets: WalletSetup | null;
  /** The origin at which staff sign in with passkeys; `null` if passkeys aren't set up. */
  readonly passkeys: string | null;
}

function readMeta(name: string): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;
}

/** The path under which the host serves the API; empty for the root. */
export const mount: string = readMeta("mount") ?? "";

/** The console's path. */
export const base = `${mount}/console`;

export const session: Session = JSON.parse(
  readMeta("session") ??
    '{"organizationId":"","shopName":null,"subject":"","scopes":[],"person":null,"signOut":null,"links":[],"hasMail":false,"hasWallets":false,"wallets":null,"passkeys":null}',
);

/** False on a public page, which has no session. */
export const isSignedIn = session.organizationId !== "";

/**
 * Returns whether the session has all of these scopes. This only hides what the server would refuse; the server enforces the
 * scopes.
 */
export function hasScopes(...scopes: readonly Scope[]): boolean {
  return scopes.every((scope) => session.scopes.includes(scope));
}

let waiting: Promise<void> | null = null;
let ask: (done: () => void) => void = () => {};

/** Sets the function that asks the user to sign in when the session has ended. It calls `done` once there is a new session. */
export function onSessionEnd(asking: (done: () => void) => void): void {
  ask = asking;
}

/** Asks the user to sign in, on top of the current screen. Resolves when there is a new session. */
export function waitForSignIn(): Promise<void> {
  waiting ??= new Promise<void>((resolve) => {
    ask(() => {
      waiting = null;
      resolve();
    });
  });
  return waiting;
}
