/** A version in the changelog, with its notes under each heading. */
export interface Release {
  readonly version: string;
  /** The release date, or `null` before the release. */
  readonly date: string | null;
  readonly notes: ReadonlyMap<string, readonly string[]>;
}

/** The size of a change in terms of Semantic Versioning. */
export type Change = "breaking" | "feature" | "fix";

const heading = /^## \[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d{2}-\d{2})\n/gm;

/** Parses a changelog in the format of Keep a Changelog, newest version first. */
export function parseReleases(changelog: string): readonly Release[] {
  const found = [...changelog.matchAll(heading)];
  return found.map((match, at) => {
    const [title, version = "", date = ""] = match;
    const text = changelog.slice(match.index + title.length, found[at + 1]?.index);
    return { version, date: date === "unreleased" ? null : date, notes: parseNotes(text) };
  });
}

function parseNotes(text: string): ReadonlyMap<string, readonly string[]> {
  const [, ...sections] = `\n${text}`.split(/^### /m);
  return new Map(
    sections.map((section) => {
      const [name = "", ...lines] = section.split("\n");
      const notes = lines.join("\n").split(/^- /m).slice(1);
      return [name.trim(), notes.map((note) => note.trim())];
    }),
  );
}

/** Returns the size of a version's changes. A removal, or a note that is marked as breaking, breaks a host. */
export function getChange({ notes }: Release): Change {
  const all = [...notes.values()].flat();
  if ((notes.get("Removed") ?? []).length > 0 || all.some((note) => note.startsWith("**Breaking**"))) {
    return "breaking";
  }
  const features = ["Added", "Changed", "Deprecated"].flatMap((name) => notes.get(name) ?? []);
  return features.length > 0 ? "feature" : "fix";
}

/** Returns the version that follows another one. Before 1.0.0 the second number counts all changes except fixes. */
export function nextVersion(version: string, change: Change): string {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (change === "fix") return `${major}.${minor}.${patch + 1}`;
  return change === "breaking" && major > 0 ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`;
}

/** Returns the reasons why the first version of a changelog can't be released as it is. */
export function releaseProblems(releases: readonly Release[]): readonly string[] {
  const [head, last] = releases;
  if (head === undefined) return ["CHANGELOG.md has no version"];
  const problems: string[] = [];
  if (head.date !== null) problems.push(`${head.version} came out on ${head.date}: nothing is unreleased`);
  if ([...head.notes.values()].flat().length === 0) problems.push(`${head.version} has no notes`);
  if (last?.date === null) problems.push(`${last.version} stands below ${head.version}, and is unreleased`);
  const dueVersion = last === undefined ? "0.1.0" : nextVersion(last.version, getChange(head));
  if (head.version !== dueVersion)
    problems.push(`the changelog calls ${head.version} what its notes make ${dueVersion}`);
  return problems;
}
