import { expect, it } from "vitest";
import { WaitingLines } from "../../src/concurrency/waiting-lines.js";

/** Lines in which somebody of each of so many organizations waits. */
function filled(organizations: number): WaitingLines<string> {
  const lines = new WaitingLines<string>();
  for (let at = 0; at < organizations; at += 1) lines.of(`o${at}`).push("somebody");
  return lines;
}

/** Lets those in a line of each of so many organizations go. */
function emptyAll(lines: WaitingLines<string>, organizations: number): void {
  for (let at = 0; at < organizations; at += 1) {
    const line = lines.of(`o${at}`);
    line.pop();
    lines.emptied(`o${at}`, line);
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
  const line = lines.of("o0");
  emptyAll(lines, 1);
  expect(lines.of("o0")).toBe(line);
});

it("a line that has gone takes no newer one of its organization with it", () => {
  const lines = filled(1_001);
  const gone = lines.of("o0");
  gone.pop();
  lines.emptied("o0", gone);
  lines.of("o0").push("another");
  lines.emptied("o0", gone);
  expect(lines.of("o0")).toEqual(["another"]);
});
