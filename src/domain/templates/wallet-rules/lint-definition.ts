import { issueOf } from '../../check.ts';
import { TemplateDefinition } from '../definition.ts';
import { appleFindings } from './apple-rules.ts';
import type { Finding } from './finding.ts';
import { googleFindings } from './google-rules.ts';

/** The document that the schema of a definition stands in. */
const CONTRACT = 'OpenAPI document of this service, createTemplate';

const ORDER: Record<Finding['severity'], number> = { error: 0, warning: 1, hint: 2 };

/**
 * What is wrong with a definition, and what the wallets make of it: errors first. A definition that the schema refuses
 * has errors only. Reads and writes nothing.
 */
export function lintDefinition(said: unknown): Finding[] {
  const result = TemplateDefinition.safeParse(said);
  if (!result.success) {
    return result.error.issues.map((issue) => {
      const { path, message } = issueOf(issue);
      return { path, wallet: 'both', severity: 'error', message, source: CONTRACT };
    });
  }
  return walletFindings(result.data);
}

/** Findings of all wallets' rules for a valid definition: warnings first. */
export function walletFindings(definition: TemplateDefinition): Finding[] {
  return [...appleFindings(definition), ...googleFindings(definition)].sort(
    (a, b) => ORDER[a.severity] - ORDER[b.severity],
  );
}
