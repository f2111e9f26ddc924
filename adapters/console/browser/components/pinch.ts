import { useRef } from "preact/hooks";

interface PinchMoves {
  /**
   * Called when the user moves the picture.
   * @param right the distance to the right, in the units of the width passed to {@link usePinch}.
   * @param down the distance downwards, in the same units.
   */
  readonly onMove: (right: number, down: number) => void;
  readonly onZoom: (factor: number) => void;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Zoom per unit of wheel movement, as an exponent. */
const WHEEL = 0.0015;

/**
 * Returns event handlers that let the user move and zoom an element with one or two fingers, or with a mouse and its wheel.
 * @param width the element's width, in the units in which movements are reported.
 */
export function usePinch(width: number, { onMove, onZoom }: PinchMoves) {
  const down = useRef(new Map<number, Point>());
  const lift = (event: PointerEvent) => {
    down.current.delete(event.pointerId);
  };
  return {
    onPointerDown(event: PointerEvent) {
      if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
      down.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove(event: PointerEvent) {
      const before = down.current.get(event.pointerId);
      if (before === undefined || !(event.currentTarget instanceof HTMLElement)) return;
      const now = { x: event.clientX, y: event.clientY };
      const unit = width / event.currentTarget.clientWidth;
      const [other] = [...down.current].filter(([id]) => id !== event.pointerId);
      down.current.set(event.pointerId, now);
      // With two fingers, each moves the picture by half of its distance.
      const share = other === undefined ? unit : unit / 2;
      onMove((now.x - before.x) * share, (now.y - before.y) * share);
      if (other === undefined) return;
      const [from, to] = [distance(before, other[1]), distance(now, other[1])];
      if (from > 0 && to > 0) onZoom(to / from);
    },
    onPointerUp: lift,
    onPointerCancel: lift,
    onWheel(event: WheelEvent) {
      event.preventDefault();
      onZoom(Math.exp(-event.deltaY * WHEEL));
    },
  };
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
