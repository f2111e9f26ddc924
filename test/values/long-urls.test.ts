import { expect, onTestFinished, test, vi } from "vitest";
import { parseUrl } from "../../src/base/values/url.js";
import { newDesignSchema } from "../../src/cards/design-schema.js";

test("a text longer than any URL is never parsed as one: a host of marks would block the process for minutes", () => {
  const parseSpy = vi.fn();
  vi.stubGlobal(
    "URL",
    class extends URL {
      constructor(...args: ConstructorParameters<typeof URL>) {
        super(...args);
        parseSpy();
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const url = `https://e${"\u0315".repeat(10_000)}`;
  expect(parseUrl(url)).toBeNull();
  expect(newDesignSchema.safeParse({ links: [{ label: "Shop", url }] }).success).toBe(false);
  expect(parseSpy).not.toHaveBeenCalled();
  expect(parseUrl("https://münchen.example/")?.hostname).toBe("xn--mnchen-3ya.example");
});
