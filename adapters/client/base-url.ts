/**
 * Returns the part of the URL that precedes each call's path.
 * @throws {TypeError} if the URL is neither an `https://` or `http://` URL nor a path on the page's own host.
 */
export function parseBaseUrl(url: string | URL): string {
  const given = String(url);
  if (given !== "" && !/^(https?:\/\/.|\.{0,2}\/)/i.test(given)) {
    throw new TypeError(
      `createClient: url begins with https:// or http://, as in "${suggested(given)}", or with / for a path of the page's own host, and "${given}" does not.`,
    );
  }
  return given.replace(/\/+$/, "");
}

function suggested(given: string): string {
  const rest = given.replace(/^[a-z]+:\/+/i, "");
  return `${/^(localhost|127\.|\[)/i.test(rest) ? "http" : "https"}://${rest === "" ? "api.example.com" : rest}`;
}
