import { useMemo } from "preact/hooks";
import encodeQR from "qr";

interface QrProps {
  readonly text: string;
  /** What it leads to, for whoever does not see it. */
  readonly label: string;
}

/** A QR code with the quiet zone that scanners need, black on white in both themes. */
export function Qr({ text, label }: QrProps) {
  const { size, path } = useMemo(() => drawn(text), [text]);
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function drawn(text: string): { readonly size: number; readonly path: string } {
  const rows = encodeQR(text, "raw", { border: 4, ecc: "medium" });
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size: rows.length, path: squares.join("") };
}
