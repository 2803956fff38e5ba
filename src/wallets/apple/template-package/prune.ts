import type * as z from 'zod';
import { invalidInput, issueOf } from '../../../domain/check.ts';
import { TemplateDefinition } from '../../../domain/templates/definition.ts';
import type { Warnings } from './warnings.ts';

type Json = Record<string, unknown>;
type Issue = z.core.$ZodIssue;

/** A template cannot do without these; as a whole, fields are refused for too many characters. */
const NEEDED = new Set(['name', 'description', 'organizationName', 'type', 'transitType', 'fields', 'projectId']);
/** Rules that span members are checked only when each member is valid. */
const ROUNDS_MAX = 10;

/**
 * The definition without what the rules of templates refuse, each with a warning: what other systems allow. Throws
 * `invalid` for what a template needs.
 */
export function withoutInvalid(definition: Json, warnings: Warnings): TemplateDefinition {
  for (let round = 1; ; round++) {
    const result = TemplateDefinition.safeParse(definition);
    if (result.success) return result.data;
    const { issues } = result.error;
    const needed = issues.filter(({ path }) => path.length <= 1 && NEEDED.has(String(path[0] ?? 'name')));
    if (needed.length > 0 || round === ROUNDS_MAX) throw invalidInput(needed.length > 0 ? needed : issues);
    const removed = new Set<string>();
    for (const issue of issues) leaveOut(definition, issue, { warnings, removed });
    compact(definition);
  }
}

/** Marks items of lists to remove, so that the places of the others hold until all issues are done. */
const REMOVED = Symbol('removed');

interface Round {
  warnings: Warnings;
  /** Paths of what is gone; further issues about it say nothing new. */
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
  // Of a member that is missing, what should have it is left out.
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

/** The values along a path as far as they exist, from the definition itself. */
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
