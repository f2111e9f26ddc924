import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { getOpenApiJson } from "../../adapters/http/openapi/document.js";
import { entryPoints } from "../../packaging/entry-points.js";
import { listObjects } from "../http/document.js";
import { listMembers } from "./described.js";

const root = join(import.meta.dirname, "../..");
const declarationsPath = (entryPoint: string) => join(root, "dist", `${entryPoint}.d.ts`);

const fields = [
  ["User", "email", "(property) User.email: string | null"],
  ["Template", "maxStamps", "(property) Template.maxStamps: number | null"],
  ["WalletPassDetail", "template", "(property) WalletPassDetail.template: Template"],
  ["CreateMessage", "expiresAt", "(property) CreateMessage.expiresAt?: string | null | undefined"],
  ["CreatePass", "userId", "(property) userId?: string | undefined"],
] as const;

const hostFile = join(root, "host.ts");
const host = fields
  .map(([type, field]) => {
    const name = type.toLowerCase();
    return `import type { ${type} } from "loyalty-kit";\ndeclare const ${name}: ${type};\n${name}.${field};\n`;
  })
  .join("")
  .concat(
    'import { createClient } from "loyalty-kit/client";\nconst client = createClient({ url: "", token: "" });\n',
  )
  .concat("client.users;\nclient.passes;\n");
const editor = ts.createLanguageService({
  getCompilationSettings: () => ({
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    types: [],
  }),
  getScriptFileNames: () => [hostFile],
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) => {
    const text = name === hostFile ? host : ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
});

describe("the declarations that hosts get", () => {
  it.each(fields)("show a name and a sentence for %s.%s", (type, field, expectedText) => {
    const [text, sentence] = readHover(type, field);
    expect(text).toBe(expectedText);
    expect(sentence).toMatch(/^[A-Z].+\.$/);
  });

  it.each(["users", "passes"])("show a sentence for the client's %s", (group) => {
    const [, sentence] = readHover("client", group);
    expect(sentence).toMatch(/^[A-Z].+\.$/);
  });

  it("describe each member", () => {
    const members = listMembers(Object.keys(entryPoints).map(declarationsPath));
    expect(members.length).toBeGreaterThan(3_000);
    const bare = members.filter(({ comment }) => comment === "");
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  it("compile without errors of their own, even in a project that checks its libraries", () => {
    const files = Object.keys(entryPoints).map(declarationsPath);
    const program = ts.createProgram(files, {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
      types: ["node"],
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
    });
    const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(root, "dist")));
    const errors = ours.flatMap((file) => program.getSemanticDiagnostics(file));
    expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))).toEqual([]);
  });

  it("describe a field in the same words as OpenAPI", () => {
    const members = listMembers([declarationsPath("index")]);
    const comments = new Map(members.map(({ path, comment }) => [path, comment]));
    const documented = [...listObjects(JSON.parse(getOpenApiJson("")))].flatMap(([path, field]) => {
      const [, name = "", inner = ""] =
        /^\/components\/schemas\/(\w+)((?:\/properties\/\w+)+)$/.exec(path) ?? [];
      const comment = comments.get(name + inner.replaceAll("/properties/", "."));
      return comment === undefined
        ? []
        : [{ path, comment, said: String(Reflect.get(field, "description")) }];
    });
    expect(documented.length).toBeGreaterThan(350);
    for (const { path, comment, said } of documented)
      expect(said.replace(/ Default: `.*`\.$/s, ""), path).toBe(comment);
  });
});

/** Returns what an editor shows when a developer points at a field: its text, and the sentence below. */
function readHover(type: string, field: string): readonly [text: string, sentence: string] {
  const at = host.indexOf(`${type.toLowerCase()}.${field}`) + `${type}.`.length;
  const info = editor.getQuickInfoAtPosition(hostFile, at);
  return [ts.displayPartsToString(info?.displayParts), ts.displayPartsToString(info?.documentation)];
}
