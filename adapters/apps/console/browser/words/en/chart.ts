/** UI text for charts. */
export const chart = {
  byDay: (title: string) => `${title} by day`,
};
