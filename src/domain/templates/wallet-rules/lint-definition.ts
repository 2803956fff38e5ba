import { issueOf } from '../../check.ts';
import { defaultIssues } from '../additional-properties.ts';
import { TemplateDefinition } from '../definition.ts';
import { appleFindings } from './apple-rules.ts';
import { type Finding, originOf } from './finding.ts';
import { googleFindings } from './google-rules.ts';
import type { ImageSizes } from './image-sizes.ts';

const ORDER: Record<Finding['severity'], number> = { error: 0, warning: 1, hint: 2 };

/**
 * Returns the errors of a definition and the findings of the wallets' rules, errors first. A definition that the schema
 * refuses has only errors. Reads and writes nothing.
 */
export function lintDefinition(said: unknown, sizes: ImageSizes = new Map()): Finding[] {
  const result = TemplateDefinition.safeParse(said);
  if (!result.success) {
    return result.error.issues.map((issue) => {
      const { path, message } = issueOf(issue);
      return { path, ...originOf(path), severity: 'error', message };
    });
  }
  const defaults = defaultIssues(result.data).map(
    ({ path, message }): Finding => ({ path, ...originOf(path), severity: 'error', message }),
  );
  return [...defaults, ...walletFindings(result.data, sizes)];
}

/** Returns the findings of all wallets' rules for a valid definition, warnings first. */
export function walletFindings(definition: TemplateDefinition, sizes: ImageSizes = new Map()): Finding[] {
  return [...appleFindings(definition, sizes), ...googleFindings(definition, sizes)].sort(
    (a, b) => ORDER[a.severity] - ORDER[b.severity],
  );
}
