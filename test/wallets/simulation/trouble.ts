/** Thrown when a worker dies during a delivery. The results of what it had claimed are never recorded. */
export class Death extends Error {}

/** URLs of a shop that are never called. */
export const urls = {
  callback: "https://shop.example/callback",
  picture: (hash: string) => `https://shop.example/${hash}`,
  plainLogo: () => "https://shop.example/logo.png",
  hero: () => null,
};
