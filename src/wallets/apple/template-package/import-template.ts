import type { AccountContext } from '../../../domain/context.ts';
import { invalid } from '../../../domain/errors.ts';
import { NAME_CHARS_MAX } from '../../../domain/limits.ts';
import { bracketPlaceholders } from '../../../domain/passes/card/placeholders.ts';
import { createTemplate } from '../../../domain/templates/create-template.ts';
import type { TemplateDefinition } from '../../../domain/templates/definition.ts';
import { isRecord } from '../../../platform/json.ts';
import { isExamplePass } from './example-pass.ts';
import { checkManifest, openPackage, readPassJson, type TemplatePackage } from './open-package.ts';
import { OWN_FILE, readOwn } from './own-definition.ts';
import { withoutInvalid } from './prune.ts';
import { findImages, readImages } from './read-images.ts';
import { readPass } from './read-pass.ts';
import { readTables, translate } from './read-translations.ts';
import { OWN_CODE } from './read-values.ts';
import { Warnings } from './reading.ts';

/** Parameters in addition to the file. */
export interface ImportOptions {
  name?: string;
  projectId?: string;
}

/** A template created from a file. */
export interface ImportedTemplate {
  identifier: string;
  /** Members and files that were left out, and why. */
  warnings: string[];
}

/**
 * Creates a template from the ZIP of a `.pkpasstemplate` folder, or from the design and texts of a `.pkpass`. Throws
 * `invalid` for any other file, and the errors of `createTemplate`.
 */
export async function importTemplate(
  ctx: AccountContext,
  bytes: Uint8Array,
  options: ImportOptions = {},
): Promise<ImportedTemplate> {
  if (bytes.length === 0) throw invalid('The request has no file');
  const { definition, warnings } = readPackage(openPackage(bytes), ctx.account, options);
  const { identifier, omitted } = await createTemplate(ctx, definition);
  return { identifier, warnings: [...warnings, ...omitted.map(({ warning }) => warning)] };
}

/** Reads the definition from the files of a template or pass. Throws `invalid`. */
export function readPackage(
  archive: TemplatePackage,
  { language, timezone }: { language: string; timezone: string },
  options: ImportOptions = {},
  now = Date.now(),
): { definition: TemplateDefinition; warnings: string[] } {
  const warnings = new Warnings();
  const { name, projectId } = options;
  const pass = readPassJson(archive);
  const isExample = isExamplePass(archive.files, pass);
  // The complete definition in a pass could be a stranger's, with e-mails and rules that nobody looks at.
  if (isExample && archive.files.has(OWN_FILE)) warnings.add(OWN_FILE, 'not used, because the file is an issued pass');
  const own = isExample ? undefined : readOwn(archive, language, warnings);
  if (own) {
    const renamed = { ...own, ...(name && { name }), ...(projectId && { projectId }) };
    return { definition: withoutInvalid(renamed, warnings), warnings: warnings.texts };
  }
  const images = findImages(archive, language, warnings);
  const definition = readPass(pass, new Set(images.keys()), { isExample, timezone, now, warnings });
  const tables = readTables(archive, warnings);
  translate(definition, tables, language, warnings);
  definition.images = readImages(images);
  setNames(definition, options, archive.folder, warnings);
  checkManifest(archive, usedFiles(archive, new Set(images.values())), warnings);
  const safe = isExample ? withBracketedTexts(definition, warnings) : definition;
  return { definition: withoutInvalid(safe, warnings), warnings: warnings.texts };
}

function usedFiles({ files }: TemplatePackage, images: ReadonlySet<unknown>): string[] {
  const isText = (path: string) => path === 'pass.json' || path.endsWith('.lproj/pass.strings');
  return [...files].flatMap(([path, file]) => (isText(path) || images.has(file) ? [path] : []));
}

/** Sets the names of a definition. Apple's format lacks some of them, a file can omit them, or they can be too long. */
function setNames(
  definition: Record<string, unknown>,
  { name, projectId }: ImportOptions,
  folder: string | undefined,
  warnings: Warnings,
): void {
  const title = (member: string): string | undefined => {
    const value = definition[member];
    if (typeof value !== 'string' || value.trim() === '') return undefined;
    if (value.trim().length <= NAME_CHARS_MAX) return value;
    warnings.add(member, `has more than ${NAME_CHARS_MAX} characters; cut off`);
    return value.trim().slice(0, NAME_CHARS_MAX).toWellFormed();
  };
  const { logoText } = definition;
  const [organizationName, description] = [title('organizationName'), title('description')];
  const logo = typeof logoText === 'string' ? logoText.trim().slice(0, NAME_CHARS_MAX) : '';
  const known = description || organizationName || logo || 'Imported template';
  definition.name = name || folder?.slice(0, NAME_CHARS_MAX) || known;
  definition.description = description ?? definition.name;
  definition.organizationName = organizationName ?? (logo || definition.name);
  if (projectId) definition.projectId = projectId;
}

type Json = Record<string, unknown>;

/**
 * Returns the definition of an example pass with texts that nothing fills: otherwise its issuer could send tokens of
 * later holders to an address, or make the account sign a text. `OWN_CODE` stays, because the import itself sets it.
 */
export function withBracketedTexts({ images, ...definition }: Json, warnings: Warnings): Json {
  return { ...(bracketed(definition, '', warnings) as Json), images };
}

function bracketed(value: unknown, path: string, warnings: Warnings): unknown {
  if (typeof value === 'string') return bracketedText(value, path, warnings);
  if (Array.isArray(value)) return value.map((part, i) => bracketed(part, joined(path, String(i)), warnings));
  if (!isRecord(value)) return value;
  // The keys of translations are texts.
  const isTable = /^translations\.[^.]+$/.test(path);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) =>
      isTable
        ? [bracketPlaceholders(name), bracketed(part, path, warnings)]
        : [name, bracketed(part, joined(path, name), warnings)],
    ),
  );
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function bracketedText(text: string, path: string, warnings: Warnings): string {
  if (text === OWN_CODE) return text;
  const result = bracketPlaceholders(text);
  if (result !== text)
    warnings.add(path, 'has placeholders of this service, whose values the issuer of the example could get; set in []');
  return result;
}
