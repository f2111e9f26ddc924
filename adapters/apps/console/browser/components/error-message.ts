/** Returns an error's message, or converts any other thrown value to a string. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
