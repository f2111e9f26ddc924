import type { WalletSetup } from "../../../../src/resources/wallet-certificate.js";
import type { Role } from "../../../../src/roles.js";
import type { Scope } from "../../../../src/scopes.js";

/** The session of the signed-in user, as embedded in the page. */
interface Session {
  readonly organizationId: string;
  /** What the shop calls itself in its settings; `null` if it does not. */
  readonly shopName: string | null;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** The person who signed in by email; `null` for an API token, and if the host signed the user in. */
  readonly person: {
    readonly id: string;
    readonly name: string | null;
    readonly email: string;
    readonly role: Role;
  } | null;
  /** The address where the host ends its sessions; `null` if the console ends them. */
  readonly signOut: string | null;
  /** Further links of the host. */
  readonly links: readonly { readonly text: string; readonly url: string }[];
  /** True when the server sends mails. */
  readonly hasMail: boolean;
  /** True when the server puts cards into wallets. */
  readonly hasWallets: boolean;
  /** The wallet setup; `null` if the user may not see it. */
  readonly wallets: WalletSetup | null;
  /** The origin at which people sign in by passkeys; `null` if none are set up. */
  readonly passkeys: string | null;
}

function readMeta(name: string): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;
}

/** The path under which the host serves the API; empty for the root. */
export const mount: string = readMeta("mount") ?? "";

/** The path of the console. */
export const base = `${mount}/console`;

export const session: Session = JSON.parse(
  readMeta("session") ??
    '{"organizationId":"","shopName":null,"subject":"","scopes":[],"person":null,"signOut":null,"links":[],"hasMail":false,"hasWallets":false,"wallets":null,"passkeys":null}',
);

/** False on a public page without a session. */
export const isSignedIn = session.organizationId !== "";

/** Returns whether the session has all these scopes. The server decides; this only hides what it would refuse. */
export function hasScopes(...scopes: readonly Scope[]): boolean {
  return scopes.every((scope) => session.scopes.includes(scope));
}

let waiting: Promise<void> | null = null;
let ask: (done: () => void) => void = () => {};

/** Sets what asks for a token when the session has ended. It calls `done` once there is a session again. */
export function onSessionEnd(asking: (done: () => void) => void): void {
  ask = asking;
}

/** Asks for a token over whatever is on the screen. Resolves when there is a session again. */
export function waitForSignIn(): Promise<void> {
  waiting ??= new Promise<void>((resolve) => {
    ask(() => {
      waiting = null;
      resolve();
    });
  });
  return waiting;
}
