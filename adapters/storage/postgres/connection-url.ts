/** Matches the scheme and login, the hosts with ports, and the rest of a URL. As in any URL, the last `@` ends the login. */
const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)([/?#].*)?$/i;

const TARGET = "target_session_attrs";

interface ServerState {
  readonly standby: boolean;
  readonly reads: boolean;
}

const wanted: Readonly<Record<string, (server: ServerState) => boolean>> = {
  any: () => true,
  "read-write": ({ reads }) => !reads,
  "read-only": ({ reads }) => reads,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
};

/** The servers that a connection URL lists, and the test that decides whether a server is acceptable. */
export interface ConnectionTargets {
  /** One URL for each host in the connection URL, without the parameters that only libpq supports. */
  readonly urls: readonly string[];
  /**
   * Returns whether a server is acceptable, based on its row from {@link stateQuery}. The property is `null` if every server is
   * acceptable.
   */
  readonly suits: ((server: ServerState) => boolean) | null;
}

export const stateQuery = {
  sql: "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as reads",
  parameters: [],
};

/**
 * Parses a connection URL in libpq's format, such as `postgres://a:5432,b:5432/db?target_session_attrs=read-write`.
 * @throws {TypeError} if `target_session_attrs` has an invalid value.
 */
export function parseConnectionUrl(url: string): ConnectionTargets {
  const [, begin = "", places = "", end = ""] = form.exec(url) ?? [];
  const [path = "", query = ""] = end.split(/\?(.*)/s, 2);
  const target = new URLSearchParams(query).get(TARGET);
  if (target === null && !places.includes(",")) return { urls: [url], suits: null };
  const suits = Object.hasOwn(wanted, target ?? "any") ? wanted[target ?? "any"] : undefined;
  if (suits === undefined) {
    throw new TypeError(`${TARGET} must be one of ${Object.keys(wanted).join(", ")}`);
  }
  const others = query.split("&").filter((pair) => !new URLSearchParams(pair).has(TARGET));
  const rest = others.length === 0 ? path : `${path}?${others.join("&")}`;
  return {
    urls: places.split(",").map((place) => `${begin}${place}${rest}`),
    suits: target === null || target === "any" ? null : suits,
  };
}
