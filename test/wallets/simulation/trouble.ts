/** A worker that dies while it tells of changes: what it had claimed is never settled. */
export class Death extends Error {}

/** The URLs of a shop that nobody calls. */
export const urls = {
  callback: "https://shop.example/callback",
  picture: (hash: string) => `https://shop.example/${hash}`,
  plainLogo: () => "https://shop.example/logo.png",
  hero: () => null,
};
