/** UI text for the API reference screen. The reference itself comes from the server's OpenAPI document. */
export const reference = {
  back: "Console",
  title: "API reference",
  document: "OpenAPI document",
  search: "Search operations",
  /** Shown before the organization ID. The text `withOwnRights` follows it. */
  calledFor: "Calls are made for",
  withOwnRights: ", using your own permissions.",
  token: "API token for test calls",
  tokenHint: "It stays on this page and is sent only to this server.",
  noneFound: "No matching operations.",
  noDocument: (status: number) => `Couldn’t load the document (${status}).`,
  other: "Other",
  deprecated: "deprecated",
  answers: "Responses",
  required: "required",
  body: "Body",
  send: "Send",
  needsToken: "Enter an API token above to try this call.",
  noAnswer: "no response",
  unreachable: "The server can’t be reached.",
} as const;
