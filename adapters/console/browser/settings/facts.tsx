export type Rows = readonly (readonly [name: string, value: string])[];

/** What is so, a line for each thing. */
export function Facts({ rows }: { readonly rows: Rows }) {
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
