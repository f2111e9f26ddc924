/** A node in the tree of path segments. */
class Branch<Target> {
  readonly fixed = new Map<string, Branch<Target>>();
  parameter: Branch<Target> | null = null;
  /** The targets for a path that ends here, keyed by method. */
  readonly targets = new Map<string, Segment<Target>>();
}

interface Segment<Target> {
  readonly target: Target;
  /** The names of the path's parameters, each with the index of its segment. */
  readonly parameters: readonly (readonly [name: string, at: number])[];
}

/** The target that matches a path, and the path's segments. */
export interface RouterMatch<Target> extends Segment<Target> {
  readonly segments: readonly string[];
}

/**
 * Finds targets by method and path. Each segment of a route's path is either fixed or a parameter, written `{name}` as in
 * OpenAPI. Fixed segments take precedence over parameters. The router tries a parameter only if the fixed segment leads to no
 * target for the method. A parameter never matches an empty segment.
 *
 * Segments are stored in maps, because looking up an ID as an object's property would first search V8's table of internalized
 * strings.
 */
export class Router<Target> {
  private readonly root = new Branch<Target>();

  /**
   * Adds a target for a method and path.
   * @param path the path, which must begin with a slash.
   */
  add(method: string, path: string, target: Target): void {
    let branch = this.root;
    const parameters: [string, number][] = [];
    for (const [at, segment] of splitPath(path).entries()) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) parameters.push([name, at]);
      branch = name === undefined ? getOrCreateFixed(branch, segment) : getOrCreateParameter(branch);
    }
    branch.targets.set(method, { target, parameters });
  }

  /**
   * Returns the match for a path, or `null` if there is none.
   * @param path the path, still percent-encoded, so that an encoded slash is part of its segment.
   */
  find(method: string, path: string): RouterMatch<Target> | null {
    if (!path.startsWith("/")) return null;
    const segments = splitPath(path);
    const place = findTarget(this.root, segments, 0, method);
    return place && { target: place.target, parameters: place.parameters, segments };
  }
}

/** Splits a path by hand. `split` searches V8's cache of earlier results first, which makes it slower for paths with IDs. */
function splitPath(path: string): string[] {
  const segments: string[] = [];
  let from = 1;
  for (let to = path.indexOf("/", from); to !== -1; to = path.indexOf("/", from)) {
    segments.push(path.slice(from, to));
    from = to + 1;
  }
  segments.push(path.slice(from));
  return segments;
}

function getOrCreateFixed<Target>(branch: Branch<Target>, segment: string): Branch<Target> {
  const next = branch.fixed.get(segment) ?? new Branch<Target>();
  branch.fixed.set(segment, next);
  return next;
}

function getOrCreateParameter<Target>(branch: Branch<Target>): Branch<Target> {
  branch.parameter ??= new Branch();
  return branch.parameter;
}

function findTarget<Target>(
  branch: Branch<Target>,
  segments: readonly string[],
  at: number,
  method: string,
): Segment<Target> | null {
  const segment = segments[at];
  if (segment === undefined) return branch.targets.get(method) ?? null;
  const fixed = branch.fixed.get(segment);
  const place = fixed === undefined ? null : findTarget(fixed, segments, at + 1, method);
  if (place !== null || branch.parameter === null || segment === "") return place;
  return findTarget(branch.parameter, segments, at + 1, method);
}
