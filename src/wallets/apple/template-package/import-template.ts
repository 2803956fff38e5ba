import type { AccountContext } from '../../../domain/context.ts';
import { invalid } from '../../../domain/errors.ts';
import { NAME_CHARS_MAX } from '../../../domain/limits.ts';
import { createTemplate } from '../../../domain/templates/create-template.ts';
import type { TemplateDefinition } from '../../../domain/templates/definition.ts';
import { withBracketedTexts } from './bracket-texts.ts';
import { checkManifest } from './check-manifest.ts';
import { isExamplePass } from './example-pass.ts';
import { openPackage, readPassJson, type TemplatePackage } from './open-package.ts';
import { OWN_FILE, readOwn } from './own-definition.ts';
import { withoutInvalid } from './prune.ts';
import { findImages, readImages } from './read-images.ts';
import { readPass } from './read-pass.ts';
import { readTables, translate } from './read-translations.ts';
import { Warnings } from './warnings.ts';

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
