import { useEffect, useState } from "preact/hooks";

/** Returns whether a media query matches, and renders the component again when that changes. */
export function useMedia(query: string): boolean {
  const [doesMatch, setMatch] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = () => setMatch(list.matches);
    update();
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, [query]);
  return doesMatch;
}
