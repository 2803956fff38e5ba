import type * as z from 'zod';
import { invalidInput, issueOf } from '../../../domain/check.ts';
import { defaultIssues } from '../../../domain/templates/additional-properties.ts';
import { TemplateDefinition } from '../../../domain/templates/definition.ts';
import type { Warnings } from './reading.ts';

type Json = Record<string, unknown>;
type Issue = z.core.$ZodIssue;

/** Members that a template needs. `fields` is refused as a whole only if it has too many characters. */
const NEEDED = new Set(['name', 'description', 'organizationName', 'type', 'transitType', 'fields', 'projectId']);
/** Maximum rounds. Rules across members are checked only once each member is valid. */
const ROUNDS_MAX = 10;

/**
 * Returns the definition without the parts that templates don't allow, each with a warning: other systems may allow
 * them. Throws `invalid` if a required member is wrong.
 */
export function withoutInvalid(definition: Json, warnings: Warnings): TemplateDefinition {
  for (let round = 1; ; round++) {
    const result = TemplateDefinition.safeParse(definition);
    if (result.success) return withoutWrongDefaults(result.data, warnings);
    const { issues } = result.error;
    const needed = issues.filter(({ path }) => path.length <= 1 && NEEDED.has(String(path[0] ?? 'name')));
    if (needed.length > 0 || round === ROUNDS_MAX) throw invalidInput(needed.length > 0 ? needed : issues);
    const removed = new Set<string>();
    for (const issue of issues) leaveOut(definition, issue, { warnings, removed });
    compact(definition);
  }
}

/** An archive of an earlier release can have defaults of another type than that of their property. */
function withoutWrongDefaults(definition: TemplateDefinition, warnings: Warnings): TemplateDefinition {
  const issues = new Map(defaultIssues(definition).map((issue) => [issue.path, issue]));
  const additionalProperties = definition.additionalProperties.map((property, i) => {
    const issue = issues.get(`additionalProperties.${i}.default`);
    if (!issue) return property;
    warnings.add(issue.path, `${issue.message}; left out`);
    return { ...property, default: null };
  });
  return { ...definition, additionalProperties };
}

/** Marks list items for removal, so that indexes stay valid until all issues are handled. */
const REMOVED = Symbol('removed');

interface Round {
  warnings: Warnings;
  /** Removed paths. Further issues about them are ignored. */
  removed: Set<string>;
}

function leaveOut(definition: Json, issue: Issue, { warnings, removed }: Round): void {
  const path = issue.path.map(String);
  if (path.some((_, i) => removed.has(JSON.stringify(path.slice(0, i + 1))))) return;
  const { message } = issueOf(issue);
  const parents = existing(definition, path);
  const value = parents.length > path.length ? parents.at(-1) : undefined;
  if (issue.code === 'too_big' && Array.isArray(value)) {
    const count = Number(issue.maximum);
    for (let i = count; i < value.length; i++) removed.add(JSON.stringify([...path, String(i)]));
    value.length = count;
    warnings.add(path.join('.'), `${message}; the others were left out`);
    return;
  }
  // If a member is missing, the object that should have it is left out.
  const depth = Math.min(path.length, Math.max(1, parents.length - 1));
  const name = path[depth - 1]!;
  const holder = parents[depth - 1] as Json | unknown[];
  if (Array.isArray(holder)) holder[Number(name)] = REMOVED;
  else if (Object.hasOwn(holder, name)) delete holder[name];
  else return;
  removed.add(JSON.stringify(path.slice(0, depth)));
  const lacking = path.slice(depth).join('.');
  warnings.add(path.slice(0, depth).join('.'), `${lacking ? `${lacking} ` : ''}${message}; left out`);
}

/** Returns the existing values along a path, starting with the definition. */
function existing(definition: Json, path: string[]): unknown[] {
  const values: unknown[] = [definition];
  for (const name of path) {
    const value = values.at(-1);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) break;
    values.push((value as Json)[name]);
  }
  return values;
}

function compact(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const kept = value.filter((item) => item !== REMOVED);
    value.splice(0, value.length, ...kept);
  }
  for (const part of Object.values(value)) compact(part);
}
