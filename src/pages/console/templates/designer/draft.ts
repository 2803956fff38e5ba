import type * as z from 'zod';
import { invalidInput } from '../../../../domain/check.ts';
import type { AccountContext } from '../../../../domain/context.ts';
import { describeIssue, type Issue } from '../../../../domain/errors.ts';
import { URL_HINT } from '../../../../domain/fields.ts';
import { findOriginal } from '../../../../domain/images/find-image.ts';
import { IMAGE_ROLES, type StoredImage } from '../../../../domain/images/stored-image.ts';
import { defaultIssues } from '../../../../domain/templates/additional-properties.ts';
import { type StoredDefinition, TemplateDefinition } from '../../../../domain/templates/definition.ts';
import { mapImages } from '../../../../domain/templates/google/members.ts';
import { toStored, wireDefinition } from '../../../../domain/templates/stored-definition.ts';
import { mapConcurrent } from '../../../../platform/concurrency.ts';
import { controlOf, definitionOfTree } from './definition-form.ts';
import type { FormTree } from './form-tree.ts';

/** Issues of a form: messages by control name, and messages without a control. */
export interface Faults {
  byName: Record<string, string>;
  others: string[];
}

export const NO_FAULTS: Faults = { byName: {}, others: [] };

/** A form, checked against the domain's schema. */
export interface Draft {
  /** The definition to save; absent if it is invalid. */
  input?: TemplateDefinition;
  faults: Faults;
  /** The definition to draw. Invalid values are replaced by the saved ones. */
  drawn: TemplateDefinition;
}

/** Checks the form of a template whose newest definition is `saved`. */
export function checkDraft(ctx: AccountContext, tree: FormTree, saved: StoredDefinition): Draft {
  const said = definitionOfTree(tree);
  const result = TemplateDefinition.safeParse(said);
  if (result.success) {
    const { data } = result;
    const issues = defaultIssues(data, saved);
    return issues.length > 0
      ? { faults: faultsOf(issues), drawn: data }
      : { input: data, faults: NO_FAULTS, drawn: data };
  }
  const faults = faultsOf(invalidInput(result.error.issues).issues);
  return { faults, drawn: repaired(said, wireDefinition(ctx, saved)) };
}

/** Groups issues by control. */
export function faultsOf(issues: Issue[]): Faults {
  const faults: Faults = { byName: {}, others: [] };
  for (const issue of issues) {
    const { rest } = controlOf(issue.path);
    if (/^[\w.-]+$/.test(issue.path)) faults.byName[issue.path] ??= (rest && `${rest}: `) + plainly(issue);
    else faults.others.push(describeIssue(issue));
  }
  return faults;
}

/** Shortens the schema's messages where the control makes the rest obvious. */
function plainly({ code, message }: Issue): string {
  return code === 'invalid_value'
    ? 'select one of the options'
    : message === URL_HINT
      ? 'must be a URL such as https://example.com'
      : message;
}

const REPAIRS_MAX = 6;
const IMAGES_AT_A_TIME = 6;

/**
 * Makes `said` valid, so that it can be drawn. Invalid values are replaced by those of `saved`, or left out together
 * with their parent.
 */
function repaired(said: Record<string, unknown>, saved: Record<string, unknown>): TemplateDefinition {
  for (let round = 0; round < REPAIRS_MAX; round++) {
    const result = TemplateDefinition.safeParse(said);
    if (result.success) return result.data;
    for (const { path } of result.error.issues as z.core.$ZodIssue[]) repair(said, saved, path, round);
  }
  return TemplateDefinition.parse(saved);
}

function repair(said: unknown, saved: unknown, path: PropertyKey[], round: number): void {
  const target = round === 0 ? path : path.slice(0, Math.max(1, path.length - round + 1));
  const parent = at(said, target.slice(0, -1)) as Record<PropertyKey, unknown> | undefined;
  const name = target.at(-1)!;
  if (typeof parent !== 'object' || parent === null) return;
  const before = round === 0 ? at(saved, target) : undefined;
  if (Array.isArray(parent) && before === undefined) parent.splice(Number(name), 1);
  else if (before === undefined || before === null) delete parent[name];
  else parent[name] = before;
}

function at(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((node, name) => (node as Record<PropertyKey, unknown> | null | undefined)?.[name], value);
}

/**
 * Converts a definition that is only drawn to its stored form. Images outside our store are left out until they are
 * imported.
 */
export async function drawable(
  ctx: AccountContext,
  drawn: TemplateDefinition,
  before?: StoredDefinition,
): Promise<StoredDefinition> {
  const originals = new Map<string, StoredImage>();
  const images = { ...drawn.images };
  await Promise.all(
    IMAGE_ROLES.map(async (role) => {
      const source = images[role];
      const image = source ? await findOriginal(ctx, source) : undefined;
      if (source && image) originals.set(source, image);
      else images[role] = null;
    }),
  );
  const google = await drawableGoogle(ctx, drawn.google, originals);
  return toStored(ctx, { ...drawn, images, google }, { before, load: async (source) => originals.get(source)! });
}

/** Does the same for images that only Google shows. */
async function drawableGoogle(
  ctx: AccountContext,
  google: TemplateDefinition['google'],
  originals: Map<string, StoredImage>,
): Promise<TemplateDefinition['google']> {
  if (!google) return google;
  const sources: string[] = [];
  mapImages(google, (source) => sources.push(source));
  await mapConcurrent([...new Set(sources)], IMAGES_AT_A_TIME, async (source) => {
    const image = await findOriginal(ctx, source);
    if (image) originals.set(source, image);
  });
  const known = (source: string | null | undefined) => (source && originals.has(source) ? source : undefined);
  return {
    ...google,
    wideLogo: known(google.wideLogo),
    imageModulesData: google.imageModulesData?.filter(({ mainImage }) => known(mainImage)),
    valueAddedModuleData: google.valueAddedModuleData?.map((module) => ({ ...module, image: known(module.image) })),
  };
}
