/**
 * Matches a pass's code, whether generated here or imported from another program. A code is a single URL path segment that needs
 * no decoding.
 */
export const passCodeForm = /^[^\s/?#%\\\p{C}]{1,64}$/u;

/** Returns whether a string is a valid code for a pass. Rejects `.` and `..`, because URL parsers remove them from paths. */
export function isPassCode(text: string): boolean {
  return passCodeForm.test(text) && text !== "." && text !== "..";
}
