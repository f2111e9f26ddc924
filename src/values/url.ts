/**
 * A text as the URL that it is; `null` for what is none. `URL.canParse` is no help: once Node 20 has compiled its caller,
 * it takes names such as `bücher.example` for none.
 */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
