/** Draws the imports between rooms into `docs/contributing/architecture.md`: `npm run picture`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importsIn, root } from "../test/project/imports.js";
import { houses } from "../test/project/rooms.js";

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const ENTRANCE = "entrance";
const page = join(root, "docs/contributing/architecture.md");
const imports = ["src", "adapters"].flatMap(importsIn);

/** Returns the page now, and with its pictures drawn again between `<!-- picture of X -->` and `<!-- end -->`. */
export function drawn(): { readonly now: string; readonly fresh: string } {
  const now = readFileSync(page, "utf8");
  const fresh = now.replace(
    /(<!-- picture of (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, house: string, end: string) => `${begin}\n${picture(house)}\n${end}`,
  );
  return { now, fresh };
}

/** Draws each room with its description, and an arrow to each room that it imports directly. */
function picture(house: string): string {
  const graph = roomsOf(house);
  const direct = [...graph].flatMap(([room, targets]) => {
    const beyond = new Set([...targets].flatMap((target) => [...reachable(graph, target)]));
    return [...targets].filter((target) => !beyond.has(target)).map((target) => `  ${room} --> ${target}`);
  });
  const nodes = [...graph.keys()].map((room) => `  ${room}["${label(house, room)}"]`);
  return ["```mermaid", "flowchart TD", ...nodes.sort(), ...direct.sort(), "```", ""].join("\n");
}

function label(house: string, room: string): string {
  const holds = houses[house]?.find((floor) => Object.hasOwn(floor, room))?.[room];
  if (room === ENTRANCE) return "the files at the entrance";
  return holds === undefined ? room : `<b>${room}</b><br>${holds}`;
}

/** The rooms of a house, and which of its rooms each imports. */
function roomsOf(house: string): Graph {
  const graph = new Map<string, Set<string>>();
  const roomIn = (path: string) => (path.startsWith(`${house}/`) ? roomOf(house, path) : null);
  for (const { file, target } of imports) {
    const from = roomIn(file);
    if (from === null) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    const to = roomIn(target);
    if (to !== null && to !== from) targets.add(to);
  }
  for (const to of [...graph.values()].flatMap((targets) => [...targets]))
    if (!graph.has(to)) graph.set(to, new Set());
  return graph;
}

/** Files that stand outside of all rooms are at the entrance to the house. */
function roomOf(house: string, path: string): string {
  const [room = ""] = path.slice(house.length + 1).split("/");
  const isNamed = houses[house]?.some((floor) => Object.hasOwn(floor, room)) ?? !room.endsWith(".ts");
  return isNamed ? room : ENTRANCE;
}

/** All that is reached from a room, without itself. */
function reachable(graph: Graph, room: string, found = new Set<string>()): Set<string> {
  for (const target of graph.get(room) ?? []) {
    if (found.has(target)) continue;
    found.add(target);
    reachable(graph, target, found);
  }
  return found;
}

if (process.argv[1] === import.meta.filename) writeFileSync(page, drawn().fresh);
