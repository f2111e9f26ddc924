import { describe, expect, it } from "vitest";
import { SetDirectory } from "../../adapters/storage/kysely/segments/segments.js";

const everybody = { slug: null, setId: 0, version: 3 };
const state = { number: 1 };
const nextState = { number: 2 };
const vip = { slug: "vip", setId: 1, version: 2 };

describe("the directory of sets", () => {
  it("knows the sets of one committed state, of their organization only", () => {
    const directory = new SetDirectory();
    directory.put(state, "acme", [everybody, vip]);
    expect(directory.find(state, "acme", ["vip"])).toEqual([everybody, vip]);
    expect(directory.find(state, "acme", ["vip", "unknown"])).toBeNull();
    expect(directory.find(state, "other", ["vip"])).toBeNull();
  });

  it("takes nothing of one state for another, and keeps both while they can be read", () => {
    const directory = new SetDirectory();
    directory.put(state, "acme", [everybody, vip]);
    expect(directory.find(nextState, "acme", ["vip"])).toBeNull();
    directory.put(nextState, "acme", [everybody]);
    expect(directory.find(nextState, "acme", ["vip"])).toBeNull();
    expect(directory.find(state, "acme", ["vip"])).toEqual([everybody, vip]);
  });

  it("knows nothing of a state that can't be told apart", () => {
    const directory = new SetDirectory();
    directory.put(null, "acme", [everybody]);
    expect(directory.find(null, "acme", [])).toBeNull();
  });

  it("keeps no more than it has room for", () => {
    const directory = new SetDirectory();
    for (let organization = 0; organization <= 10_000; organization += 1) {
      directory.put(state, `organization-${organization}`, [everybody]);
    }
    expect(directory.find(state, "organization-0", [])).toBeNull();
    expect(directory.find(state, "organization-10000", [])).toEqual([everybody]);
  });
});
