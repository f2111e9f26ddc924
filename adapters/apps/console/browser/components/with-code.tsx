/** Renders text and formats the parts between backticks as code. */
export function withCode(text: string) {
  return text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>));
}
