import { useMemo } from "preact/hooks";
import encodeQR from "qr";

interface QrProps {
  readonly text: string;
  /** A text alternative for the code. */
  readonly label: string;
  /** Position within the surrounding SVG, in its units. */
  readonly place?: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
}

/** A QR code, including the quiet zone that scanners need. It is black on white in both themes. */
export function Qr({ text, label, place }: QrProps) {
  const rows = useMemo(() => encodeQR(text, "raw", { border: 4, ecc: "medium" }), [text]);
  const size = rows.length;
  const squares = rows.flatMap((row, top) =>
    row.map((isDark, left) => (isDark ? `M${left} ${top}h1v1h-1z` : "")),
  );
  return (
    <svg
      {...place}
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
