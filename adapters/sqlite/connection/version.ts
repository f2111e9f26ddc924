/** Before it, two processes could damage a database whose write-ahead log was just reset. */
const OLDEST = "3.51.3";

/** @throws when the SQLite library is older than what this adapter can trust with data. */
export function assertTrusted(version: string): void {
  if (compare(version, OLDEST) >= 0) return;
  throw new Error(
    `SQLite ${version} is too old: loyalty-kit needs ${OLDEST} or later, as better-sqlite3 12.11 brings it`,
  );
}

function compare(a: string, b: string): number {
  const others = b.split(".").map(Number);
  for (const [at, part] of a.split(".").map(Number).entries()) {
    const difference = part - (others[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
