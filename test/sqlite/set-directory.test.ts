import { describe, expect, it } from "vitest";
import { SetDirectory } from "../../adapters/storage/kysely/segments/segments.js";

const everybody = { slug: null, setId: 0, version: 3 };
const state = { number: 1 };
const nextState = { number: 2 };
const vip = { slug: "vip", setId: 1, version: 2 };

describe("the set directory", () => {
  it("returns the sets of one committed state, and only to their organization", () => {
    const directory = new SetDirectory();
    directory.put(state, "acme", [everybody, vip]);
    expect(directory.find(state, "acme", ["vip"])).toEqual([everybody, vip]);
    expect(directory.find(state, "acme", ["vip", "unknown"])).toBeNull();
    expect(directory.find(state, "other", ["vip"])).toBeNull();
  });

  it("doesn't confuse two states, and stores both while they can be read", () => {
    const directory = new SetDirectory();
    directory.put(state, "acme", [everybody, vip]);
    expect(directory.find(nextState, "acme", ["vip"])).toBeNull();
    directory.put(nextState, "acme", [everybody]);
    expect(directory.find(nextState, "acme", ["vip"])).toBeNull();
    expect(directory.find(state, "acme", ["vip"])).toEqual([everybody, vip]);
  });

  it("stores nothing for a state that can't be identified", () => {
    const directory = new SetDirectory();
    directory.put(null, "acme", [everybody]);
    expect(directory.find(null, "acme", [])).toBeNull();
  });

  it("evicts the oldest of more than 10,000 organizations", () => {
    const directory = new SetDirectory();
    for (let organization = 0; organization <= 10_000; organization += 1) {
      directory.put(state, `organization-${organization}`, [everybody]);
    }
    expect(directory.find(state, "organization-0", [])).toBeNull();
    expect(directory.find(state, "organization-10000", [])).toEqual([everybody]);
  });
});
