import { existsSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { findForThread, findInstalledFile } from "../../adapters/setup/installed-file.js";

it("a file of an installed package is found when the program runs", () => {
  expect(existsSync(findInstalledFile("better-sqlite3/package.json"))).toBe(true);
  expect(() => findInstalledFile("no-such-package")).toThrow("Cannot find module 'no-such-package'");
});

it("a package that a thread can't find is reported once, with what goes on without it", () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  for (const time of ["first", "second"]) {
    expect(() => findForThread("no-such-package", "large changes hold up the event loop"), time).toThrow(
      "Cannot find module",
    );
  }
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/^large changes hold up the event loop, .*no-such-package: Cannot find module/),
    expect.objectContaining({ type: "LoyaltyKitWarning" }),
  );
});
