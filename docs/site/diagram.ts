import { escapeHtml } from "./code.js";

/** Writes a flow chart of Mermaid as a table: what each box holds, and where its arrows lead. */
export function renderDiagram(text: string): string {
  const labels = new Map<string, string>();
  const arrows = new Map<string, string[]>();
  for (const line of text.split("\n").slice(1)) {
    const [, from = "", ofFrom, to, ofTo] =
      /^\s*([\w.-]+)(?:\["(.*?)"\])?(?: --> ([\w.-]+)(?:\["(.*?)"\])?)?\s*$/.exec(line) ?? [];
    if (from === "") continue;
    if (ofFrom !== undefined) labels.set(from, ofFrom);
    if (to === undefined) continue;
    if (ofTo !== undefined) labels.set(to, ofTo);
    arrows.set(from, [...(arrows.get(from) ?? []), to]);
  }
  const renderLabel = (name: string) => {
    const [title = name, ...rest] = (labels.get(name) ?? name)
      .split("<br>")
      .map((part) => part.replaceAll(/<\/?b>/g, ""));
    return { title: escapeHtml(title), rest: escapeHtml(rest.join(" ")) };
  };
  const names = [...new Set([...arrows.keys(), ...labels.keys()])];
  const described = names.filter((name) => arrows.has(name) || renderLabel(name).rest !== "");
  const rows = described.map((name) => {
    const { title, rest } = renderLabel(name);
    const targets = (arrows.get(name) ?? []).map((target) => renderLabel(target).title).join(", ");
    return `<tr><td><strong>${title}</strong></td><td>${rest}</td><td>${targets}</td></tr>`;
  });
  return renderTable(
    `<thead><tr><th>Box</th><th>Holds</th><th>Arrows to</th></tr></thead><tbody>${rows.join("\n")}</tbody>`,
  );
}

/** A table that scrolls where it is wider than the page. */
export function renderTable(rows: string): string {
  return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${rows}</table></div>\n`;
}
