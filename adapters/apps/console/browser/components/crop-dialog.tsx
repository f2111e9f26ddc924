import { useEffect, useRef, useState } from "preact/hooks";
import { parts } from "../words/en/parts.js";
import { crop as words } from "../words/en/pictures.js";
import { Button } from "./button.js";
import { type Crop, firstCrop, MAX_ZOOM, minZoom, panBy, placePicture, zoomBy } from "./crop.js";
import { cropPicture, type PictureSize } from "./crop-picture.js";
import { Dialog } from "./dialog.js";
import { TextField } from "./field.js";

interface CropDialogProps {
  readonly label: string;
  readonly picture: ImageBitmap;
  readonly size: PictureSize;
  readonly onCropped: (dataUrl: string) => void;
  readonly onClose: () => void;
}

/** Width of the frame, in canvas pixels. */
const SHOWN = 720;

/**
 * A dialog for cropping a picture. The user selects the visible part by dragging, pinching, or scrolling, or with three sliders.
 */
export function CropDialog({ label, picture, size, onCropped, onClose }: CropDialogProps) {
  const isWhole = size.isTrimmed ?? false;
  const frame = { width: SHOWN, height: Math.round((SHOWN * size.height) / size.width) };
  const [crop, setCrop] = useState<Crop>(() => firstCrop(picture, frame, isWhole));
  const [isTooLarge, setTooLarge] = useState(false);
  const canvas = useRef<HTMLCanvasElement>(null);
  const least = minZoom(picture, frame);

  useEffect(() => {
    const pen = canvas.current?.getContext("2d");
    if (pen === null || pen === undefined) return;
    const { left, top, width, height } = placePicture(picture, frame, crop);
    pen.clearRect(0, 0, frame.width, frame.height);
    pen.drawImage(picture, left, top, width, height);
  }, [picture, crop, frame.width, frame.height]);

  const pinch = usePinch(frame.width, {
    onMove: (right, down) => setCrop((before) => panBy(picture, frame, before, right, down)),
    onZoom: (factor) => setCrop((before) => zoomBy(picture, frame, before, factor)),
  });
  const use = () => {
    const url = cropPicture(picture, size, crop);
    setTooLarge(url === null);
    if (url !== null) onCropped(url);
  };
  const slider = (text: string, value: number, onValue: (value: number) => void) => (
    <TextField
      label={text}
      type="range"
      min={0}
      max={100}
      value={String(Math.round(value * 100))}
      onText={(typed) => onValue(Number(typed) / 100)}
    />
  );
  const zoomRange = Math.log(MAX_ZOOM / least);
  return (
    <Dialog title={words.title(label)} isWide onClose={onClose}>
      <canvas
        ref={canvas}
        class="crop"
        width={frame.width}
        height={frame.height}
        role="img"
        aria-label={words.part(size.width, size.height)}
        style={{ "--crop-width": `${Math.min(36, (20 * size.width) / size.height)}rem` }}
        {...pinch}
      />
      <p class="hint">{words.hint}</p>
      <div class="crop-sliders">
        {slider(words.size, Math.log(crop.zoom / least) / zoomRange, (share) =>
          setCrop((before) =>
            zoomBy(picture, frame, before, (least * Math.exp(share * zoomRange)) / before.zoom),
          ),
        )}
        {slider(words.across, crop.x, (x) => setCrop((before) => ({ ...before, x })))}
        {slider(words.down, crop.y, (y) => setCrop((before) => ({ ...before, y })))}
      </div>
      {isTooLarge && (
        <p class="field-error" role="alert">
          {words.tooLarge}
        </p>
      )}
      <div class="actions">
        <Button text={parts.cancel} onClick={onClose} />
        <Button text={words.whole} onClick={() => setCrop(firstCrop(picture, frame, true))} />
        <Button text={words.use} kind="primary" onClick={use} />
      </div>
    </Dialog>
  );
}

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
function usePinch(width: number, { onMove, onZoom }: PinchMoves) {
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
