export type Definitions = readonly (readonly [name: string, value: string])[];

/** A definition list with one row for each name and value. */
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
