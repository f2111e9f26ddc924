/**
 * Sample metadata as JSON strings, including unusual but valid JSON and values whose types differ from those that behavior tests
 * look for.
 */
export const metadataTexts: readonly string[] = [
  "{}",
  '{ "b":1,\n"a":"é" }',
  '{"city":"Vienna"}',
  '{"city":"e\u0301","visits":1}',
  '{"city":null,"visits":-2.5,"is":{"vip":true}}',
  '{"visits":3000000000,"is":{"vip":false},"born":"2000-02-29"}',
  '{"c\\u0069ty":"Vienna","born":"2024-03-01T10:00:00Z","visits":"1"}',
  '{"born":"2023-02-29","is":[{"vip":true}],"visits":300}',
  '{"__proto__":1,"constructor":"Vienna"}',
];
