/** The longest URL that is parsed. A host with many marks on one letter takes time that grows with the square of its length. */
const MOST = 8_192;

/**
 * Parses a URL; returns `null` for any other text. `URL.canParse` doesn't work: once Node 20 has compiled its caller, it refuses
 * names such as `bücher.example`.
 */
export function parseUrl(text: string): URL | null {
  if (text.length > MOST) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Returns whether a response from a URL can't be forged: it uses https, or http on this machine. */
export function isSecureOrLocal({ protocol, hostname }: URL): boolean {
  return (
    protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))
  );
}
