/** The form of a card's code, whether generated here or by another program: one URL path segment that decoding leaves unchanged. */
export const passCodeForm = /^[^\s/?#%\\\p{C}]{1,64}$/u;

/** Returns whether a string can be a card's code. `.` and `..` can't be codes, because URLs drop them from paths. */
export function isPassCode(text: string): boolean {
  return passCodeForm.test(text) && text !== "." && text !== "..";
}
