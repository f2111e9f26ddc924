/** All words of the API reference around what the document of the server says. */
export const reference = {
  back: "Console",
  title: "API reference",
  document: "OpenAPI document",
  search: "Search operations",
  /** Before the id of the organization, and after it. */
  calledFor: "Calls are made for",
  withOwnRights: ", with your own rights.",
  token: "API token, to try calls",
  tokenHint: "It stays on this page and goes to this server only.",
  noneFound: "No operation has this in it.",
  noDocument: (status: number) => `The document can’t be had: ${status}.`,
  other: "Other",
  deprecated: "deprecated",
  answers: "Answers",
  required: "required",
  body: "Body",
  send: "Send",
  needsToken: "Give a token above to try it.",
  noAnswer: "no answer",
  unreachable: "The server can’t be reached.",
} as const;
