export type Definitions = readonly (readonly [name: string, value: string])[];

/**
 * A definition list with one row for each name and value. Each value is isolated (`bdi`), so right-to-left text doesn't affect the
 * text around it.
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
