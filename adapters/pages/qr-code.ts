import encodeQR from "qr";
import { type Html, html } from "../http/html.js";

/** A QR code as a picture, with the quiet zone that scanners need, black on white. */
export function qrCode(text: string, label: string): Html {
  const rows = encodeQR(text, "raw", { border: 2, ecc: "medium" });
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  const size = String(rows.length);
  return html`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path d="${squares.join("")}"/></svg>`;
}
