/** All words around the screens for developers. */
export const developers = {
  title: "Developers",
  reference: "API reference",
  organization: "Organization",
} as const;

/** A secret that is shown once. */
export const secrets = {
  onlyOnce: "It is shown this once and never again.",
  copy: "Copy",
  copied: "It was copied",
  done: "I have it",
} as const;
