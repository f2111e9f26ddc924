/** A width and height, in any unit. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The part of a picture that is visible in a frame, as determined by the picture's scale and alignment. */
export interface Crop {
  /** The picture's scale, as a multiple of the scale at which the picture just covers the frame. */
  readonly zoom: number;
  /** The picture's horizontal alignment in the frame: 0 aligns the left edges, and 1 aligns the right edges. */
  readonly x: number;
  /** The picture's vertical alignment in the frame: 0 aligns the top edges, and 1 aligns the bottom edges. */
  readonly y: number;
}

export interface Rect extends Size {
  readonly left: number;
  readonly top: number;
}

/** Maximum zoom, as a multiple of the scale at which the picture just covers the frame. */
export const MAX_ZOOM = 6;

/** Returns the minimum zoom, at which the whole picture just fits in the frame. */
export function computeMinZoom(picture: Size, frame: Size): number {
  return (
    Math.min(computeScaleX(picture, frame), computeScaleY(picture, frame)) / computeCoverScale(picture, frame)
  );
}

/**
 * Returns the initial, centered crop.
 * @param isWhole whether to fit the whole picture in the frame. If false, the picture covers the frame.
 */
export function createInitialCrop(picture: Size, frame: Size, isWhole: boolean): Crop {
  return { zoom: isWhole ? computeMinZoom(picture, frame) : 1, x: 0.5, y: 0.5 };
}

/** Returns the picture's position and size relative to the frame. */
export function placePicture(picture: Size, frame: Size, { zoom, x, y }: Crop): Rect {
  const scale = computeCoverScale(picture, frame) * zoom;
  const [width, height] = [picture.width * scale, picture.height * scale];
  return { left: (frame.width - width) * x, top: (frame.height - height) * y, width, height };
}

/** A distance in frame units. */
interface Shift {
  readonly right: number;
  readonly down: number;
}

/** Moves the picture, stopping when an edge of the picture reaches the frame's edge. */
export function panBy(picture: Size, frame: Size, crop: Crop, { right, down }: Shift): Crop {
  const { width, height } = placePicture(picture, frame, crop);
  const moveWithin = (at: number, by: number, slack: number) =>
    Math.abs(slack) < 0.5 ? at : Math.min(1, Math.max(0, at + by / slack));
  return {
    ...crop,
    x: moveWithin(crop.x, right, frame.width - width),
    y: moveWithin(crop.y, down, frame.height - height),
  };
}

/**
 * Multiplies the zoom by `factor`, clamped to the minimum and maximum zoom. Where possible, the point at the frame's center stays
 * in place.
 */
export function zoomBy(picture: Size, frame: Size, crop: Crop, factor: number): Crop {
  const zoom = Math.min(MAX_ZOOM, Math.max(computeMinZoom(picture, frame), crop.zoom * factor));
  const [before, after] = [
    placePicture(picture, frame, crop),
    placePicture(picture, frame, { ...crop, zoom }),
  ];
  const growth = after.width / before.width;
  const target = {
    left: frame.width / 2 - (frame.width / 2 - before.left) * growth,
    top: frame.height / 2 - (frame.height / 2 - before.top) * growth,
  };
  const shift = { right: target.left - after.left, down: target.top - after.top };
  return panBy(picture, frame, { ...crop, zoom }, shift);
}

/** Returns the part of the frame that the picture covers. */
export function computeVisibleArea(frame: Size, { left, top, width, height }: Rect): Rect {
  const [visibleLeft, visibleTop] = [Math.max(0, left), Math.max(0, top)];
  return {
    left: visibleLeft,
    top: visibleTop,
    width: Math.min(frame.width, left + width) - visibleLeft,
    height: Math.min(frame.height, top + height) - visibleTop,
  };
}

const computeScaleX = (picture: Size, frame: Size) => frame.width / picture.width;
const computeScaleY = (picture: Size, frame: Size) => frame.height / picture.height;
const computeCoverScale = (picture: Size, frame: Size) =>
  Math.max(computeScaleX(picture, frame), computeScaleY(picture, frame));
