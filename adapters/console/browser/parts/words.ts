const numbers = new Intl.NumberFormat("en");
const days = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** 12,345 */
export const numberText = (value: number) => numbers.format(value);

/** Nov 3, 2026 */
export const dayText = (timestamp: string) => days.format(new Date(timestamp));

/** Nov 3, 2026, 2:05 PM */
export const momentText = (timestamp: string) => moments.format(new Date(timestamp));

/** 1 stamp, 2 stamps */
export const counted = (count: number, one: string, many = `${one}s`) =>
  `${numberText(count)} ${count === 1 ? one : many}`;
