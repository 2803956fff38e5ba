/*
 * An independent, deliberately simple implementation of the query language: it checks every pass, and compares values
 * as displayed.
 */

/** A value as search rows show it. Dates are `Y-m-d H:i:s` in the account's zone, or as the caller wrote them. */
export type Shown = string | number | boolean | string[] | null;

export interface ModelPass {
  id: string;
  templateId: string;
  projectId: string | null;
  /** By field; `kind` determines how operators compare. */
  fields: Record<string, { kind: 'text' | 'number' | 'date' | 'writtenDate' | 'flag' | 'link' | 'list'; value: Shown }>;
  /** Texts, numbers and dates as displayed, for phrases. */
  texts: string[];
}

export interface ModelCondition {
  field: string;
  operator: string;
  value?: string | number | boolean | (string | number)[];
}

export interface ModelQuery {
  templateId?: string;
  projectId?: string;
  searchPhrase?: string;
  groups?: ModelCondition[][];
}

/** Folded texts and compiled phrases: each query compares the same texts. */
const folded = new Map<string, string>();
const compiled = new Map<string, RegExp>();

export function plain(text: string): string {
  const known = folded.get(text);
  if (known !== undefined) return known;
  const result = text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
    .replace(/[\t\n]/g, ' ');
  folded.set(text, result);
  return result;
}

export function selects(query: ModelQuery, pass: ModelPass): boolean {
  const { templateId, projectId, searchPhrase, groups = [] } = query;
  if (templateId !== undefined && pass.templateId !== templateId) return false;
  if (projectId !== undefined && pass.projectId !== projectId) return false;
  if (!pass.texts.some((text) => hasPhrase(text, searchPhrase ?? ''))) return false;
  return groups.length === 0 || groups.some((group) => group.every((condition) => holds(condition, pass)));
}

/** Whether a displayed value contains a phrase, in which an asterisk matches anything. */
export function hasPhrase(text: string, phrase: string): boolean {
  if (phrase.replaceAll('*', '').trim() === '') return true;
  const pattern = compiled.get(phrase) ?? patternOf(phrase);
  compiled.set(phrase, pattern);
  return pattern.test(plain(text));
}

function patternOf(phrase: string): RegExp {
  const parts = plain(phrase)
    .split('*')
    .map((part) => part.replace(/[^\p{L}\p{N}]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`));
  return new RegExp(parts.join('.*'), 'su');
}

const NEGATED: Record<string, string> = {
  notEquals: 'equals',
  doesNotEqual: 'equals',
  doesNotContain: 'contains',
  empty: 'notEmpty',
  emtpy: 'notEmpty',
};

function holds({ field, operator, value }: ModelCondition, pass: ModelPass): boolean {
  const positive = NEGATED[operator];
  if (positive) return !holds({ field, operator: positive, value }, pass);
  const found = pass.fields[field];
  const values = [found?.value ?? []].flat();
  const { kind } = found ?? { kind: 'text' };
  if (operator === 'isFalse')
    return values.every((one) => (kind === 'number' ? Number(one) === 0 : isOneOf(one, 'false', '0')));
  if (operator === 'notEmpty') return values.length > 0;
  if (operator === 'isTrue')
    return values.some((one) => (kind === 'number' ? Number(one) !== 0 : isOneOf(one, 'true', '1')));
  return values.some((shown) => [value].flat().some((one) => compare(kind, operator, shown, String(one))));
}

function isOneOf(value: Shown, ...texts: string[]): boolean {
  return texts.includes(plain(String(value)));
}

function compare(kind: ModelPass['fields'][string]['kind'], operator: string, value: Shown, wanted: string): boolean {
  const isOrder = !['contains', 'beginsWith', 'endsWith'].includes(operator);
  if (kind === 'number' && isOrder) return ordered(operator, Number(value) - Number(wanted));
  if (kind === 'date' || (kind === 'writtenDate' && isOrder)) {
    const full = String(value).replace('T', ' ') + ' 00:00:00'.slice(String(value).length - 10);
    const cut = full.slice(0, wanted.length);
    return operator === 'beginsWith' ? cut === wanted : ordered(operator, cut < wanted ? -1 : Number(cut > wanted));
  }
  if (kind === 'link') return linkHolds(operator, String(value), wanted);
  const flag = kind === 'flag' ? ({ '1': 'true', '0': 'false' }[wanted] ?? wanted) : wanted;
  return textHolds(operator, plain(String(value)), plain(flag));
}

/** A condition matches a link's public parts or its whole token, never part of the token. */
function linkHolds(operator: string, link: string, wanted: string): boolean {
  const [, before, token, after = ''] = /^(.*\/)([\w-]{22,25})(\.\w+)?$/.exec(link)!;
  if (wanted === link) return textHolds(operator, link, wanted);
  const isOrder = /^(greater|lower)Than/.test(operator);
  if (isOrder && wanted.startsWith(before!) && wanted !== before) return false;
  const isKnown = !isOrder && wanted.includes(token!);
  return textHolds(operator, isKnown ? link : `${before}\u0001${after}`, wanted);
}

function textHolds(operator: string, value: string, wanted: string): boolean {
  if (operator === 'contains') return value.includes(wanted);
  if (operator === 'beginsWith') return value.startsWith(wanted);
  if (operator === 'endsWith') return value.endsWith(wanted);
  return ordered(operator, Buffer.compare(Buffer.from(value), Buffer.from(wanted)));
}

function ordered(operator: string, difference: number): boolean {
  switch (operator) {
    case 'equals':
      return difference === 0;
    case 'greaterThan':
      return difference > 0;
    case 'greaterThanOrEquals':
      return difference >= 0;
    case 'lowerThan':
      return difference < 0;
    case 'lowerThanOrEquals':
      return difference <= 0;
    default:
      throw new Error(`the model has no operator ${operator}`);
  }
}
