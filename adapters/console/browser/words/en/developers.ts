/** All words around the screens for developers. */
export const developers = {
  title: "Developers",
  reference: "API reference",
  organization: "Organization",
} as const;

/** A secret that is shown once. */
export const secrets = {
  onlyOnce: "It’s shown only once.",
  copy: "Copy",
  copied: "Copied",
  done: "I have it",
} as const;
