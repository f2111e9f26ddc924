/** Returns the message to display for an error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
