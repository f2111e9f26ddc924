import MiniSearch from "minisearch";
import { searchOptions } from "../search-options.js";

const MOST_RESULTS = 20;
const top = document.documentElement.dataset.top ?? "";

const dialog = document.querySelector<HTMLDialogElement>("dialog.search");
const input = document.querySelector<HTMLInputElement>("dialog.search input");
const found = document.querySelector<HTMLUListElement>("dialog.search .found");
const state = document.querySelector<HTMLParagraphElement>("dialog.search .state");
let index: Promise<MiniSearch> | null = null;

/** The index, which is read at the first search. */
async function loadIndex(): Promise<MiniSearch> {
  const response = await fetch(`${top}search-index.json`);
  if (!response.ok) throw new Error(`search-index.json: ${response.status}`);
  return MiniSearch.loadJSON(await response.text(), searchOptions);
}

function open(): void {
  index ??= loadIndex().catch(() => {
    index = null;
    throw new Error("the index can't be read");
  });
  index.catch(() => {});
  dialog?.showModal();
  input?.select();
}

async function search(): Promise<void> {
  if (input === null || found === null || state === null) return;
  const wanted = input.value;
  try {
    const results = wanted.trim() === "" ? [] : (await (index ?? loadIndex())).search(wanted);
    if (input.value !== wanted) return;
    found.replaceChildren(...results.slice(0, MOST_RESULTS).map(renderResult));
    state.textContent = wanted.trim() === "" ? "" : `${results.length} found`;
  } catch {
    state.textContent = "The search index can't be read. Serve this folder with a web server.";
  }
}

function renderResult({ id, page, heading, excerpt }: Record<string, unknown>): HTMLLIElement {
  const link = document.createElement("a");
  link.href = `${top}${id}`;
  const title = document.createElement("strong");
  title.textContent = page === heading ? String(page) : `${page} › ${heading}`;
  const text = document.createElement("span");
  text.textContent = String(excerpt);
  link.append(title, text);
  link.addEventListener("click", () => dialog?.close());
  const entry = document.createElement("li");
  entry.append(link);
  return entry;
}

/** Moves the focus among the field and the results. */
function moveFocus(by: number): void {
  const stops: (HTMLElement | null)[] = [input, ...(found?.querySelectorAll("a") ?? [])];
  const at = stops.findIndex((stop) => stop?.matches(":focus"));
  stops[Math.min(Math.max(at + by, 0), stops.length - 1)]?.focus();
}

input?.addEventListener("input", () => void search());
document.querySelector(".find")?.addEventListener("click", open);
dialog?.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
dialog?.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    moveFocus(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Escape") {
    // A field for searches would be emptied first.
    event.preventDefault();
    dialog.close();
  } else if (event.key === "Enter" && event.target === input) found?.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  const isAsked = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
  if (!isAsked || dialog?.open === true) return;
  event.preventDefault();
  open();
});

const menu = document.querySelector(".menu");
menu?.addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("with-pages");
  menu.setAttribute("aria-expanded", String(isOpen));
});
document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "center" });
scrollTo({ top: location.hash === "" ? 0 : scrollY });
