/**
 * The forms of secrets, and the part of each that stays visible, which identifies it: lists show the first characters of a token
 * too. Each form only looks ahead a limited distance, because a text may come from strangers and be long.
 */
const secrets: readonly (readonly [form: RegExp, left: string])[] = [
  // URLs with a user and a password: of databases, of mail servers, of Redis, of proxies. A password may have an @ of its own.
  [/((?:postgres(?:ql)?|smtps?):(?:\/\/)?[^:\s]{0,200}):\S{0,500}@/gi, "$1@"],
  [/(\b[a-z][a-z\d+.-]{0,20}:\/\/[^:@/\s]{0,200}):[^@/\s]{0,500}@/gi, "$1@"],
  // API tokens, codes, access and refresh tokens, secrets of apps, and what signs webhooks.
  [/\b(lk[a-z]?_[\dA-Za-z]{6})[\dA-Za-z]+/g, "$1…"],
  [/\bwhsec_[\dA-Za-z+/_-]+=*/g, "whsec_…"],
  // JWTs, which hosts have for tokens and Google for both, and keys.
  [/\beyJ[\w-]{1,2000}\.[\w-]{1,4000}\.[\w-]*/g, "eyJ…"],
  [
    /-----BEGIN ([A-Z ]{0,20}PRIVATE KEY)-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g,
    "-----BEGIN $1-----…",
  ],
  // What a header, a link, a form or JSON calls so.
  [/\b(Bearer|Basic|ApplePass)(\s{1,9})(?!lk[a-z]?_|eyJ)(?=[\w+/.~-]{0,2000}[\d=])[\w+/.~=-]{8,}/gi, "$1$2…"],
  [/([?&]\w{0,40}(?:pass|token|secret|code|verifier)\w{0,40}=)[^&\s"']+/gi, "$1"],
  [/("\w{0,40}(?:password|token|secret|verifier)"\s{0,9}:\s{0,9}")[^"]*/gi, "$1…"],
  [/(cookie:\s{0,9}[^=\s]{1,100}=)[^;\s]+/gi, "$1…"],
  [/(__Host-[\w-]{1,100}=)[^;\s]+/g, "$1…"],
];

/** A text for people or a log, without what could be used by those who read it. */
export function withoutSecrets(text: string): string {
  return secrets.reduce((kept, [form, left]) => kept.replace(form, left), text);
}
