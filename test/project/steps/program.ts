import { resolve } from "node:path";
import ts from "typescript";
import { root } from "../imports.js";

/** The files of the core and the adapters, compiled as the project configures. */
export interface CompiledProgram {
  readonly program: ts.Program;
  readonly files: readonly string[];
}

/** @param texts texts that replace the files' own, by path. */
export function compileProgram(texts: ReadonlyMap<string, string> = new Map()): CompiledProgram {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail };
  const project = ts.getParsedCommandLineOfConfigFile(resolve(root, "tsconfig.json"), {}, host);
  if (project === undefined) throw new Error("there is no tsconfig.json");
  const { options, fileNames } = project;
  const folders = ["src", "adapters"].map((folder) => resolve(root, folder));
  const files = fileNames.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
  const reading = ts.createCompilerHost(options);
  const readFile = reading.readFile;
  reading.readFile = (file) => texts.get(file) ?? readFile(file);
  return { program: ts.createProgram({ rootNames: files, options, host: reading }), files };
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
}
