import { useLayoutEffect } from "preact/hooks";
import type { Sheet } from "./sheets.js";

/** While the component is mounted, makes the browser print pages of the sheet's size without margins. */
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
