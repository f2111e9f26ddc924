/** UI text for the dialog that crops a picture. */
export const crop = {
  title: (label: string) => `Crop: ${label.toLowerCase()}`,
  part: (width: number, height: number) => `Selected area, ${width} × ${height} pixels`,
  hint: "Drag to move the area. Pinch or scroll to resize it.",
  size: "Size",
  across: "Horizontal position",
  down: "Vertical position",
  tooLarge: "This area is larger than 512 KiB. Choose a simpler picture.",
  whole: "Use whole picture",
  use: "Use this area",
};

/** UI text for the form field where the user uploads a picture. */
export const picture = {
  tooLarge: (file: string) => `“${file}” is larger than 30 MB.`,
  unreadable: (file: string) => `“${file}” can’t be read as a picture. Save it as a PNG or JPEG.`,
  isKept: "Picture saved.",
  drop: "Drop or paste a picture, or",
  choose: "choose a file",
  crop: (label: string) => `Crop ${label.toLowerCase()}`,
  remove: (label: string) => `Remove ${label.toLowerCase()}`,
};
