const MAX_RANGES = 20;

/**
 * Returns the languages that a browser accepts, most preferred first. Each one is a primary language subtag, so `de-AT, en;q=0.5`
 * becomes `["de", "en"]`.
 * @param accepted the `Accept-Language` header (RFC 9110, section 12.5.4), or `null` if it was not sent.
 */
export function parseAcceptedLanguages(accepted: string | null): string[] {
  return (accepted ?? "")
    .split(",", MAX_RANGES)
    .map((text) => {
      const [range = "", ...parameters] = text.split(";");
      const quality = parameters.map((each) => /^\s*q=([0-9.]{1,25})\s*$/i.exec(each)?.[1]).find(Boolean);
      return { language: range.trim().toLowerCase().split("-", 1)[0] ?? "", quality: Number(quality ?? 1) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ language }) => language);
}
