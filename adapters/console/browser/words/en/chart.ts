/** All words of a chart. */
export const chart = {
  byDay: (title: string) => `${title} by day`,
};
