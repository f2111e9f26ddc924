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
