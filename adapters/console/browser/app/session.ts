import type { Scope } from "../../../../src/scopes.js";

/** Who is signed in, as the page tells. */
export interface Session {
  readonly organizationId: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** Where the host ends its sessions; `null` where the console does. */
  readonly signOut: string | null;
}

function contentOf(name: string): string | null {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;
}

/** The path under which the host serves the API; empty for the root. */
export const mount: string = contentOf("mount") ?? "";

/** The path of the console. */
export const base = `${mount}/console`;

export const session: Session = JSON.parse(
  contentOf("session") ?? '{"organizationId":"","subject":"","scopes":[],"signOut":null}',
);

/** False on a page that is for everybody, when nobody is signed in. */
export const isSignedIn = session.organizationId !== "";

/** Whether who is signed in has all these scopes. What the server answers counts; this only spares the way. */
export function may(...scopes: readonly Scope[]): boolean {
  return scopes.every((scope) => session.scopes.includes(scope));
}
