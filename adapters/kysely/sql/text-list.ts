/** The texts of a column that holds them as a JSON array. */
export function textsOf(json: string): string[] {
  const texts: unknown = JSON.parse(json);
  if (!Array.isArray(texts)) throw new Error("a column that holds a list of texts holds something else");
  return texts.map(String);
}
