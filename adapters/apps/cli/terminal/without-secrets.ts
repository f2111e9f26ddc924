/**
 * Patterns for secrets, with the part of each secret that stays visible to identify it, like the first characters of tokens in
 * lists. Each pattern matches only a limited length, because untrusted text may be long.
 */
const secretPatterns: readonly (readonly [form: RegExp, left: string])[] = [
  // URLs with a user and password, for databases, mail servers, Redis and proxies. A password may contain an @.
  [/((?:postgres(?:ql)?|smtps?):(?:\/\/)?[^:\s]{0,200}):\S{0,500}@/gi, "$1@"],
  [/(\b[a-z][a-z\d+.-]{0,20}:\/\/[^:@/\s]{0,200}):[^@/\s]{0,500}@/gi, "$1@"],
  // API tokens, codes, access and refresh tokens, app secrets, and webhook secrets.
  [/\b(lk[a-z]?_[\dA-Za-z]{6})[\dA-Za-z]+/g, "$1…"],
  [/\bwhsec_[\dA-Za-z+/_-]+=*/g, "whsec_…"],
  // JWTs, which hosts and Google use, and private keys.
  [/\beyJ[\w-]{1,2000}\.[\w-]{1,4000}\.[\w-]*/g, "eyJ…"],
  [
    /-----BEGIN ([A-Z ]{0,20}PRIVATE KEY)-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g,
    "-----BEGIN $1-----…",
  ],
  // Values that a header, link, form or JSON names as secrets.
  [/\b(Bearer|Basic|ApplePass)(\s{1,9})(?!lk[a-z]?_|eyJ)(?=[\w+/.~-]{0,2000}[\d=])[\w+/.~=-]{8,}/gi, "$1$2…"],
  [/([?&]\w{0,40}(?:pass|token|secret|code|verifier)\w{0,40}=)[^&\s"']+/gi, "$1"],
  [/("\w{0,40}(?:password|token|secret|verifier)"\s{0,9}:\s{0,9}")[^"]*/gi, "$1…"],
  [/(cookie:\s{0,9}[^=\s]{1,100}=)[^;\s]+/gi, "$1…"],
  [/(__Host-[\w-]{1,100}=)[^;\s]+/g, "$1…"],
];

/**
 * Redacts secrets in text that is logged or displayed. Part of a secret might stay visible so that readers can tell which one it
 * is.
 */
export function redactSecrets(text: string): string {
  return secretPatterns.reduce(
    (redacted, [pattern, replacement]) => redacted.replace(pattern, replacement),
    text,
  );
}
