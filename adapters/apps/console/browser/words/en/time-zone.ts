/** UI text about the time zone that a new shop gets with its name. */
export const timeZoneWords = {
  suggested: (zone: string) => `Times will follow this device’s time zone, ${zone}.`,
};
