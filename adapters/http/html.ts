/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A template of HTML. Every text that is put in stays a text, in contents and in quoted attributes. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const rest = values.map((value, at) => written(value) + (parts[at + 1] ?? ""));
  return new Html((parts[0] ?? "") + rest.join(""));
}

function written(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value !== "string") return value.map(written).join("");
  return value.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
