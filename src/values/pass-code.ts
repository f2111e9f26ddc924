/** The form of a card's code, of our own or of another program: one segment of a URL path, which decoding returns unchanged. */
export const passCodeForm = /^[^\s/?#%\\\p{C}]{1,64}$/u;

/** Returns whether a text can be a card's code: URLs drop `.` and `..` from paths. */
export function isPassCode(text: string): boolean {
  return passCodeForm.test(text) && text !== "." && text !== "..";
}
