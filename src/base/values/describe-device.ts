/**
 * Browsers in order of precedence: the first match wins, because user agents also name the browsers that they are compatible with.
 */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

/**
 * Returns a short description of a browser and operating system, such as `Chrome on Windows`, based on the `User-Agent` header.
 * Returns `Unknown device` if neither is recognized.
 */
export function describeDevice(userAgent: string | null): string {
  const agent = (userAgent ?? "").slice(0, 1_000);
  const findName = (patterns: typeof browsers) =>
    patterns.find(([pattern]) => pattern.test(agent))?.[1] ?? null;
  const [browser, system] = [findName(browsers), findName(systems)];
  if (browser === null) return system ?? "Unknown device";
  return system === null ? browser : `${browser} on ${system}`;
}
