/* Runs before the page is painted. Without a choice the system's theme holds. */
const key = "loyalty-kit theme";

function readStoredTheme(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // The browser keeps nothing for this site.
  }
}

const kept = readStoredTheme();
if (kept !== null) document.documentElement.dataset.theme = kept;

document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".theme")?.addEventListener("click", () => {
    const { dataset } = document.documentElement;
    const isDark =
      dataset.theme === undefined
        ? matchMedia("(prefers-color-scheme: dark)").matches
        : dataset.theme === "dark";
    dataset.theme = isDark ? "light" : "dark";
    try {
      localStorage.setItem(key, dataset.theme);
    } catch {
      // The choice holds for this page.
    }
  });
});

export {};
