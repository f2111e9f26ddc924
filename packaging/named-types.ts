import { dirname, join, relative } from "node:path";
import ts from "typescript";
import * as z from "zod";
import { describeField } from "../adapters/http/openapi/field-descriptions.js";

/** Matches the declaration files of schemas and of the types that they contain. */
const schemaFiles = /schema\.d\.ts$|\/src\/base\//;

type NamedType = ts.TypeAliasDeclaration | ts.InterfaceDeclaration;

/** Declared types by name and by structure, because a type that is inferred from a schema has lost its name. */
type TypesByText = ReadonlyMap<string, NamedType>;

/**
 * Rewrites tsc's declarations of types that are inferred from schemas. Each becomes an interface with a comment on every field,
 * taken from the OpenAPI field descriptions. Otherwise, editors would show the expanded fields in place of the type's name, without
 * comments.
 * @param folder the folder that contains tsc's declarations.
 */
export async function nameTypes(folder: string): Promise<void> {
  const files = ts.sys.readDirectory(join(folder, "src"), [".d.ts"]).filter((file) => schemaFiles.test(file));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts"],
    types: ["node"],
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    exactOptionalPropertyTypes: true,
  });
  const checker = program.getTypeChecker();
  const sources = files.flatMap((file) => program.getSourceFile(file) ?? []);
  const statements = sources.flatMap((source) => [...source.statements]);
  // If two types are identical, the first one provides the name.
  const typesByText: TypesByText = new Map([
    ...statements.filter(isExportedType).map((type) => [type.name.text, type] as const),
    ...statements
      .filter(isExportedType)
      .filter(isPlainAlias)
      .map((alias) => [getKey(expandType(alias.type, checker)), alias] as const)
      .reverse(),
  ]);
  for (const source of sources) {
    const ids = await readIds(relative(folder, source.fileName));
    const text = source.statements.filter(isPlainAlias).reduceRight((text, alias) => {
      const schemaType = findSchemaType(alias.type);
      if (schemaType === null) return text;
      const [, schema = ""] = /<typeof (\w+)>$/.exec(schemaType.getText()) ?? [];
      const place = { owner: ids.get(schema) ?? alias.name.text, alias, typesByText, indent: "" };
      const declaration = declare(place, schemaType, expandType(schemaType, checker));
      return text.slice(0, alias.getStart()) + declaration + text.slice(alias.end);
    }, source.text);
    if (text !== source.text) ts.sys.writeFile(source.fileName, text);
  }
}

/** Reads the OpenAPI names of a module's schemas, keyed by the names of the schema constants. */
async function readIds(declarations: string): Promise<ReadonlyMap<string, string>> {
  const module: object = await import(`../${declarations.replace(/\.d\.ts$/, ".ts")}`);
  return new Map(
    Object.entries(module).flatMap(([name, exported]) => {
      const id = exported instanceof z.ZodType ? exported.meta()?.id : undefined;
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}

function isExportedType(node: ts.Statement): node is NamedType {
  return (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.modifiers !== undefined;
}

function isPlainAlias(node: ts.Statement): node is ts.TypeAliasDeclaration {
  return ts.isTypeAliasDeclaration(node) && node.typeParameters === undefined;
}

/** Finds the part of a type that is inferred from a schema. Returns `null` if there is none. */
function findSchemaType(type: ts.Node): ts.Node | null {
  const text = type.getText();
  if (/^z\.(?:input|output)<typeof \w+>$/.test(text)) return type;
  if (ts.isMappedTypeNode(type) && /\bz\.(?:input|output)</.test(text)) return type;
  return ts.forEachChild(type, findSchemaType) ?? null;
}

interface TypeContext {
  /** OpenAPI name of the type that has the fields, or name of the field that contains them. */
  readonly owner: string;
  readonly alias: ts.TypeAliasDeclaration;
  readonly typesByText: TypesByText;
  readonly indent: string;
}

function declare(place: TypeContext, schemaType: ts.Node, type: ts.TypeNode): string {
  const { alias } = place;
  const { text: name } = alias.name;
  const start = alias.modifiers === undefined ? "" : "export ";
  const fields = writeFields(type, place);
  if (schemaType === alias.type && ts.isTypeLiteralNode(type)) return `${start}interface ${name} ${fields}`;
  const { text } = alias.getSourceFile();
  const around = [text.slice(alias.type.pos, schemaType.getStart()), text.slice(schemaType.end, alias.end)];
  return `${start}type ${name} =${around.join(fields)}`;
}

/** Writes a type with a comment on each field, and refers to the types in it by name. */
function writeFields(type: ts.Node, place: TypeContext): string {
  if (!ts.isTypeLiteralNode(type)) return writeParts(type, place);
  const indent = `${place.indent}    `;
  const lines = type.members.map((member) => {
    if (!ts.isPropertySignature(member) || member.type === undefined) return indent + printNode(member);
    const name = member.name.getText();
    const sentence = describeField(name, place.owner);
    const before = printNode(member).slice(0, member.type.getStart() - member.getStart());
    const memberType = writeNamed(member.type, { ...place, owner: name, indent });
    return `${sentence === undefined ? "" : `${indent}/** ${sentence} */\n`}${indent}${before}${memberType};`;
  });
  return `{\n${lines.join("\n")}\n${place.indent}}`;
}

/** Writes the name of a type if it has one, and its structure otherwise. */
function writeNamed(type: ts.Node, place: TypeContext): string {
  const found = findName(printNode(type), place);
  if (found !== null) return found;
  if (ts.isParenthesizedTypeNode(type))
    return findName(printNode(type.type), place) ?? writeParts(type, place);
  if (!ts.isUnionTypeNode(type)) return writeFields(type, place);
  const isNothing = (part: ts.Node) => /^(?:null|undefined)$/.test(printNode(part));
  const rest = type.types.filter((part) => !isNothing(part));
  const whole = findName(rest.map(printNode).join(" | "), place);
  return [
    ...(whole === null ? rest.map((part) => writeNamed(part, place)) : [whole]),
    ...type.types.filter(isNothing).map(printNode),
  ].join(" | ");
}

/** Writes a type unchanged, but refers to the types in it by name. */
function writeParts(type: ts.Node, place: TypeContext): string {
  const parts: ts.Node[] = [];
  ts.forEachChild(type, (child) => void parts.push(child));
  return parts.reduceRight((text, part) => {
    const [from, to] = [part.getStart() - type.getStart(), part.end - type.getStart()];
    return text.slice(0, from) + writeNamed(part, place) + text.slice(to);
  }, printNode(type));
}

function findName(text: string, { alias, typesByText }: TypeContext): string | null {
  const found = typesByText.get(getKey(text));
  if (found === undefined || found === alias) return null;
  const [source, target] = [alias.getSourceFile().fileName, found.getSourceFile().fileName];
  if (source === target) return found.name.text;
  const path = relative(dirname(source), target).replace(/\.d\.ts$/, ".js");
  return `import("${path.startsWith(".") ? path : `./${path}`}").${found.name.text}`;
}

const printer = ts.createPrinter({ removeComments: true });

/** Expands a type, prints it on one line, and parses it again, so that each of its nodes has a position in the text. */
function expandType(type: ts.Node, checker: ts.TypeChecker): ts.TypeNode {
  const { NoTruncation, InTypeAlias, UseAliasDefinedOutsideCurrentScope } = ts.NodeBuilderFlags;
  const flags = NoTruncation | InTypeAlias | UseAliasDefinedOutsideCurrentScope;
  const node = checker.typeToTypeNode(checker.getTypeAtLocation(type), type, flags);
  if (node === undefined) throw new Error(`${type.getText()} can't be written out`);
  const text = printer.printNode(ts.EmitHint.Unspecified, node, type.getSourceFile());
  const [alias] = ts.createSourceFile("type.ts", `type T = ${text}`, ts.ScriptTarget.ES2023, true).statements;
  if (alias === undefined || !ts.isTypeAliasDeclaration(alias)) throw new Error(`${text} is no type`);
  return alias.type;
}

function printNode(node: ts.Node): string {
  return node.getText();
}

/** Returns the text of a type without import paths, so that it is the same in every file. */
function getKey(type: ts.Node | string): string {
  const text = typeof type === "string" ? type : printNode(type);
  return text.replaceAll(/import\("[^"]+"\)\./g, "").replaceAll(/\s+/g, " ");
}
