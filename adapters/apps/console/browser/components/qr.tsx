import { useMemo } from "preact/hooks";
import encodeQR from "qr";

interface QrProps {
  readonly text: string;
  /** The code's text alternative. */
  readonly label: string;
  /** The code's position and size within a surrounding SVG, in that SVG's units. */
  readonly bounds?: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
}

/** A QR code surrounded by the quiet zone that scanners need. The code is black on white in both themes. */
export function Qr({ text, label, bounds }: QrProps) {
  const rows = useMemo(() => encodeQR(text, "raw", { border: 4, ecc: "medium" }), [text]);
  const size = rows.length;
  const squares = rows.flatMap((row, top) =>
    row.map((isDark, left) => (isDark ? `M${left} ${top}h1v1h-1z` : "")),
  );
  return (
    <svg
      {...bounds}
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} rx="2" fill="#fff" />
      <path d={squares.join("")} fill="#000" />
    </svg>
  );
}
