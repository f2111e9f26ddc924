import { fold, isAscii } from "./text.js";
import { urlOf } from "./url.js";

/** The form in which emails are compared: folded, with the domain in ASCII (UTS 46). One mailbox has one, however it is spelled. */
export function foldEmail(email: string): string {
  return fold(withAsciiDomains(email));
}

/** A text in which each domain behind an `@` stands in ASCII. One that can't be a domain stays as it is. */
export function withAsciiDomains(text: string): string {
  if (isAscii(text)) return text;
  return text.replace(/(?<=@)[\p{L}\p{M}\p{N}.-]+/gu, (domain) =>
    isAscii(domain) ? domain : (urlOf(`http://${domain}`)?.hostname ?? domain),
  );
}
