/** Renders text and formats the parts between backticks as code. */
export function renderCode(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}
