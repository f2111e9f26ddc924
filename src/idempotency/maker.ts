import { markOf } from "../secrets/seal.js";

/** By what a caller is known. */
export interface CallerIdentity {
  /** By what it calls, such as `token`. */
  readonly kind: string;
  /** That of the token or app. */
  readonly id: string | null;
  /** Who it is at the host. */
  readonly subject: string | null;
  /** The user whom it is. */
  readonly user: string | null;
  /** The grant of an app, or what the host calls the session. */
  readonly session: string | null;
  readonly scopes: readonly string[] | "all";
}

/** Whose a call was, as it is kept with an answer that nobody else gets. */
export interface CallMaker {
  /** What it is known by, each enough by itself; none when nothing is known of it. */
  readonly marks: readonly string[];
  readonly scopes: readonly string[] | "all";
}

/** @param shown what the caller has shown to be let in, such as a bearer token; `null` for nothing of that kind. */
export function makerOf(identity: CallerIdentity, shown: string | null): CallMaker {
  const { kind, id, subject, user, session, scopes } = identity;
  const isKnown = kind === "library" || [id, subject, user, session].some((part) => part !== null);
  const marks = [
    ...(isKnown ? [markOf(["known as", kind, id, subject, user, session])] : []),
    ...(shown === null ? [] : [markOf(["has shown", shown])]),
  ];
  return { marks, scopes };
}

/** Whether a caller is the maker of a call, and may do all that it might then. */
export function isMadeBy(maker: CallMaker, caller: CallMaker): boolean {
  return maker.marks.some((mark) => caller.marks.includes(mark)) && holdsAll(caller.scopes, maker.scopes);
}

function holdsAll(held: CallMaker["scopes"], asked: CallMaker["scopes"]): boolean {
  if (held === "all") return true;
  return asked !== "all" && asked.every((scope) => held.includes(scope));
}
