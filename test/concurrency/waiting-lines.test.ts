import { expect, it } from "vitest";
import { OrganizationQueues } from "../../src/base/concurrency/organization-queues.js";

/** Lines in which somebody of each of so many organizations waits. */
function filled(organizations: number): OrganizationQueues<string> {
  const lines = new OrganizationQueues<string>();
  for (let at = 0; at < organizations; at += 1) lines.getOrCreate(`o${at}`).push("somebody");
  return lines;
}

/** Lets those in a line of each of so many organizations go. */
function emptyAll(lines: OrganizationQueues<string>, organizations: number): void {
  for (let at = 0; at < organizations; at += 1) {
    const line = lines.getOrCreate(`o${at}`);
    line.pop();
    lines.dropIfEmpty(`o${at}`, line);
  }
}

it("empty lines of a thousand organizations are kept, and no more", () => {
  const lines = filled(5_000);
  expect(lines.size).toBe(5_000);
  emptyAll(lines, 5_000);
  expect(lines.size).toBe(1_000);
  emptyAll(lines, 5_000);
  expect(lines.size).toBe(1_000);
});

it("an empty line is the organization's next one while there are few", () => {
  const lines = filled(2);
  const line = lines.getOrCreate("o0");
  emptyAll(lines, 1);
  expect(lines.getOrCreate("o0")).toBe(line);
});

it("a line that has gone takes no newer one of its organization with it", () => {
  const lines = filled(1_001);
  const gone = lines.getOrCreate("o0");
  gone.pop();
  lines.dropIfEmpty("o0", gone);
  lines.getOrCreate("o0").push("another");
  lines.dropIfEmpty("o0", gone);
  expect(lines.getOrCreate("o0")).toEqual(["another"]);
});
