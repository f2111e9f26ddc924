const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a duration such as `90d`, `1h`, `30m` or `45s`; `null` when the text is none. */
export function durationMs(text: string): number | null {
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  return ms === undefined ? null : Number(count) * ms;
}
