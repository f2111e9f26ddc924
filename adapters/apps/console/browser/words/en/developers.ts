export const developers = {
  title: "Developers",
  reference: "API reference",
  organization: "Organization",
} as const;

/** UI text for a secret that is shown only once. */
export const secrets = {
  onlyOnce: "It’s shown only once.",
  copy: "Copy",
  copied: "Copied",
  done: "I have it",
} as const;
