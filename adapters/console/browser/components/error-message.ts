/** The words of an error for whoever is at the screen. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
