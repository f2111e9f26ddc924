import { describe, expect, it } from "vitest";
import { SetDirectory } from "../../adapters/kysely/set-directory.js";

const everybody = { slug: null, setId: 0, version: 3 };
const vip = { slug: "vip", setId: 1, version: 2 };

describe("the directory of sets", () => {
  it("knows the sets of one committed state, of their organization only", () => {
    const directory = new SetDirectory();
    directory.put(1, "acme", [everybody, vip]);
    expect(directory.find(1, "acme", ["vip"])).toEqual([everybody, vip]);
    expect(directory.find(1, "acme", ["vip", "unknown"])).toBeNull();
    expect(directory.find(1, "other", ["vip"])).toBeNull();
  });

  it("knows nothing of another state, and forgets the one before", () => {
    const directory = new SetDirectory();
    directory.put(1, "acme", [everybody, vip]);
    expect(directory.find(2, "acme", ["vip"])).toBeNull();
    directory.put(2, "acme", [everybody]);
    expect(directory.find(2, "acme", ["vip"])).toBeNull();
    expect(directory.find(1, "acme", [])).toBeNull();
  });

  it("knows nothing of a state that can't be told apart", () => {
    const directory = new SetDirectory();
    directory.put(null, "acme", [everybody]);
    expect(directory.find(null, "acme", [])).toBeNull();
  });

  it("keeps no more than it has room for", () => {
    const directory = new SetDirectory();
    for (let organization = 0; organization <= 10_000; organization += 1) {
      directory.put(1, `organization-${organization}`, [everybody]);
    }
    expect(directory.find(1, "organization-0", [])).toBeNull();
    expect(directory.find(1, "organization-10000", [])).toEqual([everybody]);
  });
});
