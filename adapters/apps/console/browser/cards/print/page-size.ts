import { useLayoutEffect } from "preact/hooks";
import type { Sheet } from "./sheets.js";

/** Sets the print page size to the sheet's size, without margins, while the component is mounted. */
export function usePageSize({ width, height }: Sheet): void {
  useLayoutEffect(() => {
    const rule = new CSSStyleSheet();
    rule.replaceSync(`@page { size: ${width}mm ${height}mm; margin: 0; }`);
    document.adoptedStyleSheets.push(rule);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== rule);
    };
  }, [width, height]);
}
