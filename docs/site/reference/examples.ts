/** What examples name without making it, with the type that it has. */
export const namesOfExamples = {
  loyalty: { type: "LoyaltyService", from: "loyalty-kit" },
  cafe: { type: "Organization", from: "loyalty-kit" },
  api: { type: "HttpApi", from: "loyalty-kit/http" },
} as const;

/** Says to a reader what the names stand for that an example does not make. */
export const aboutNames =
  'In examples, `loyalty` is a service, `cafe` is `loyalty.organization("cafe")`, and `api` is the HTTP interface of the service.';
