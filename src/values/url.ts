/** No URL that anybody follows is longer. A host of many marks on one letter takes time that grows with the square of its length. */
const MOST = 8_192;

/**
 * A text as the URL that it is; `null` for what is none. `URL.canParse` is no help: once Node 20 has compiled its caller,
 * it takes names such as `bücher.example` for none.
 */
export function parseUrl(text: string): URL | null {
  if (text.length > MOST) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Tells whether what comes from a URL is nobody else's: it is of https, or of http on this machine. */
export function isSecureOrLocal({ protocol, hostname }: URL): boolean {
  return (
    protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))
  );
}
