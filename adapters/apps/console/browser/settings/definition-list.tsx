export type Definitions = readonly (readonly [name: string, value: string])[];

/**
 * A definition list with one row per name-value pair. Each value is wrapped in a `bdi` element so that right-to-left text doesn't
 * affect the surrounding text.
 */
export function DefinitionList({ rows }: { readonly rows: Definitions }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
