import { describe, expect, it } from "vitest";
import { CommitPositions, parsePosition } from "../../adapters/storage/postgres/commit-positions.js";
import { parseConnectionUrl } from "../../adapters/storage/postgres/pool.js";

describe("commit positions", () => {
  it("are stored per organization, and are never below the position noted for all organizations", () => {
    const positions = new CommitPositions();
    expect(positions.get("acme")).toBe(0n);
    positions.record("acme", "0/20");
    positions.record("globex", "1/0");
    expect([positions.get("acme"), positions.get("globex")]).toEqual([0x20n, 1n << 32n]);
    positions.record(undefined, "0/30");
    positions.record(undefined, "0/10");
    expect([positions.get("acme"), positions.get("globex"), positions.get("new")]).toEqual([
      0x30n,
      1n << 32n,
      0x30n,
    ]);
    for (const text of ["", "1", "1/", "x/1", "1/1/1"]) expect(() => parsePosition(text)).toThrow(TypeError);
  });

  it("are stored for 10,000 organizations, and others get the highest position that was dropped", () => {
    const positions = new CommitPositions();
    for (let at = 1; at <= 10_001; at += 1) positions.record(`shop ${at}`, `0/${at.toString(16)}`);
    expect(positions.get("never heard of")).toBe(1n);
    expect(positions.get("shop 2")).toBe(2n);
    expect(positions.get("shop 1")).toBe(1n);
  });
});

describe("a connection URL with several servers", () => {
  it("is split into one URL per server, without parameters that only libpq knows", () => {
    const { urls } = parseConnectionUrl(
      "postgres://u:p,w@a:1,b,[::1]:3/db?x=1&target_session_attrs=primary&y=2",
    );
    expect(urls).toEqual(["a:1", "b", "[::1]:3"].map((place) => `postgres://u:p,w@${place}/db?x=1&y=2`));
    const plain = "postgres://u:p,w@a/db?options=-c%20a%3Db,c";
    expect(parseConnectionUrl(plain)).toEqual({ urls: [plain], suits: null });
    expect(parseConnectionUrl(`${plain}&target_session_attrs=any`).urls).toEqual([plain]);
    expect(parseConnectionUrl("postgres://a/db?target_session_attrs=any").urls).toEqual(["postgres://a/db"]);
  });
});
