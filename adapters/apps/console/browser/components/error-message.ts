/** Returns an error's message, or converts any other thrown value to a string. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
