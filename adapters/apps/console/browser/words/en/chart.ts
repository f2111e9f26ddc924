/** UI text for the accessible names of charts and their tables. */
export const chart = {
  byDay: (title: string) => `${title} by day`,
};
