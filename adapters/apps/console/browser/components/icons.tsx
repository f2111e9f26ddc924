const paths = {
  overview: "M4 20V10m6 10V4m6 16v-7m4 7H3",
  customers: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-6 9a6 6 0 0 1 12 0m1-17a4 4 0 0 1 0 8m5 9a6 6 0 0 0-4-5.6",
  purchases: "M6 8h12l1 12H5Zm3 3V7a3 3 0 0 1 6 0v4",
  segments: "M3 5h18M6 12h12M10 19h4",
  messages: "M4 5h16v12H9l-5 4ZM8 9h8M8 13h5",
  automations: "M13 3 5 13h6l-1 8 8-11h-6Z",
  cards: "M3 7a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2ZM3 10h18M7 15h4",
  till: "M4 8V5a1 1 0 0 1 1-1h3m8 0h3a1 1 0 0 1 1 1v3m0 8v3a1 1 0 0 1-1 1h-3m-8 0H5a1 1 0 0 1-1-1v-3M4 12h16",
  settings: "M4 7h9m4 0h3M4 17h3m4 0h9M15 9.5v-5M9 19.5v-5",
  developers: "m8 7-5 5 5 5m8-10 5 5-5 5m-3-13-2 16",
  more: "M4.5 12a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0m7 0a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0m7 0a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0",
  leave: "M15 4h3a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-3M10 8l-4 4 4 4m-4-4h10",
  book: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3ZM5 17a3 3 0 0 1 3-3h11",
  link: "M9 15 15 9m-4-3 2-2a4 4 0 0 1 6 6l-2 2m-4 6-2 2a4 4 0 0 1-6-6l2-2",
  plus: "M12 5v14M5 12h14",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 4 4",
  back: "m14 6-6 6 6 6",
  close: "m6 6 12 12M18 6 6 18",
  minus: "M6 12h12",
  warning: "M12 4 3 20h18ZM12 10v4m0 3h.01",
  check: "m5 13 4 4L19 7",
  camera: "M4 8h3l2-3h6l2 3h3v11H4ZM12 16a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon, for use next to text or in a button that has an accessible name. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
