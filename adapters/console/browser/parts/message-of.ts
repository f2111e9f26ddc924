/** The words of an error for whoever is at the screen. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
