/**
 * Returns the word that is nearest to what the user typed, or `undefined` if no word is close enough. A word is close enough if it
 * is at most two typos away, or one typo if fewer than four letters were typed.
 */
export function findNearestWord(typed: string, words: readonly string[]): string | undefined {
  const maxTypos = Math.min(2, Math.floor(typed.length / 2));
  for (let typos = 1; typos <= maxTypos; typos += 1) {
    const match = words.find((word) => isWithin(typos, typed, word));
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Returns whether at most this many edits turn one text into the other. An edit adds, removes, replaces or swaps letters. */
function isWithin(typos: number, word: string, otherWord: string): boolean {
  let commonLength = 0;
  while (commonLength < word.length && word[commonLength] === otherWord[commonLength]) commonLength += 1;
  const [a, b] = [word.slice(commonLength), otherWord.slice(commonLength)];
  if (a === "" || b === "") return a.length + b.length <= typos;
  if (typos < Math.max(1, Math.abs(a.length - b.length))) return false;
  return (
    isWithin(typos - 1, a.slice(1), b.slice(1)) ||
    isWithin(typos - 1, a.slice(1), b) ||
    isWithin(typos - 1, a, b.slice(1)) ||
    (a[0] === b[1] && a[1] === b[0] && isWithin(typos - 1, a.slice(2), b.slice(2)))
  );
}
