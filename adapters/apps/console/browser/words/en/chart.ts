/** UI text for the accessible names of charts and of their tables. */
export const chart = {
  byDay: (title: string) => `${title} by day`,
};
